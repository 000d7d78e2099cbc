package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.ServerEvent;

/**
 * One more client of a call's events beside the one at the data channel: a sideband. Made by who
 * joins it with {@link InferenceCall#attach}.
 */
public interface EventClient {
    /**
     * An event for the client, in order. Called on threads that must not be blocked and that other
     * calls may wait for: what cannot be passed on at once is for the client to queue, and a client
     * that has too much of it to detach itself.
     */
    void event(ServerEvent event);

    /** What the client at a data channel says, verbatim; called as {@link #event} is. */
    default void said(ClientEvent event) {}

    /** The call is over and nothing more comes; at most once. */
    void ended();
}
