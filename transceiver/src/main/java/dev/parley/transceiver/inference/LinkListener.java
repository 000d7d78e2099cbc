package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.Resume;
import dev.parley.proto.inference.v1.SessionReady;
import io.grpc.Status;

/** Hears what comes from inference for one call, on threads that must not be blocked. */
interface LinkListener {
    /** A backend accepted the call; the first to be called, once. */
    void onReady(SessionReady ready);

    /** Any later message; the next one comes only after {@link InferenceLink#requestNext}. */
    void onMessage(ConverseResponse message);

    /** The stream broke; another one is looked for. */
    void onLost(Status status);

    /** Whether nothing is being said to the caller and nothing waits to be. */
    boolean isQuiet();

    /** Another stream goes on; called before its first message. */
    void onResumed();

    /** What the next stream is to know of output; the link adds the rest. */
    Resume.Builder position();

    /** Whether the backend that goes on has accepted what the first one did. */
    boolean isSame(SessionReady ready);

    /** The call is over; the last to be called, once. */
    void onClosed(Status status);
}
