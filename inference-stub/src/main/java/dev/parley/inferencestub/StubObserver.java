package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import io.grpc.Status;

/**
 * Sees everything that crosses the stub's streams, for recording. Calls for one session come one at
 * a time and in order, calls for several at once; they hold up the stream, so they must be quick.
 * Times are of {@link System#nanoTime}.
 */
public interface StubObserver {
    /** A call was accepted, with the formats in {@code ready}. */
    default void onStart(SessionStart start, SessionReady ready, long nanos) {}

    /** A message came that the contract allows, before the agent sees it. */
    default void onRequest(String sessionId, ConverseRequest request, long nanos) {}

    /** A message goes out. */
    default void onResponse(String sessionId, ConverseResponse response, long nanos) {}

    /**
     * The call is over, once per accepted call: OK after a regular end, CANCELLED when the stream
     * broke or the edge gave it up, otherwise what the stub told the edge.
     */
    default void onEnd(String sessionId, Status status, long nanos) {}
}
