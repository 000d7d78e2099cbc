package dev.parley.transceiver.recording;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.media.InputPacket;

/**
 * Keeps what happens in one call. Any thread may enter, the media loop's for one: nothing here
 * blocks, and what cannot be kept is left out.
 */
public interface CallTape {
    /** Keeps nothing. */
    CallTape NONE = new CallTape() {};

    /** Decides which calls are kept. */
    @FunctionalInterface
    interface Source {
        /** Keeps no call. */
        Source NONE = (_, _) -> CallTape.NONE;

        /** The tape of a call that a backend has accepted. */
        CallTape tape(SessionStart start, SessionReady ready);
    }

    /** Whether it keeps anything, so that nothing needs to be made for it. */
    default boolean runs() {
        return false;
    }

    /** What the client speaks; before the first packet. */
    default void codec(ClientCodec codec) {}

    /** A packet of the caller, in order and on the clock; valid during the call. */
    default void input(InputPacket packet) {}

    /** A key of the caller's telephone. */
    default void key(char key, int durationMillis) {}

    /**
     * A packet was sent to the caller.
     *
     * @param payload never changed afterwards
     * @param atSamples its place on the output's clock, at 48 kHz
     * @param samples its length at 48 kHz
     */
    default void output(byte[] payload, long atSamples, int samples) {}

    /** The client's data channel opened, closed or brought a message, or its media changed. */
    default void fromClient(ConverseRequest event) {}

    /** A message for inference. */
    default void toInference(ConverseRequest message) {}

    /** A message of inference. */
    default void fromInference(ConverseResponse message) {}

    /** Something else that whoever looks into the recording should know. */
    default void note(String text) {}

    /** The call is over. */
    default void end() {}
}
