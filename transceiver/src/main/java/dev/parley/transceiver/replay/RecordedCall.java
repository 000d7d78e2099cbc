package dev.parley.transceiver.replay;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.media.InputPacket;
import java.nio.file.Path;
import java.util.List;

/**
 * What a caller and its client did in a call.
 *
 * @param codec what the client speaks
 * @param start how the call was offered to inference; nothing is set where only audio is known
 * @param moments in order
 */
public record RecordedCall(ClientCodec codec, SessionStart start, List<Moment> moments) {
    /** A file that cannot be replayed; the message says why and what to do. */
    public static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1;

        UnreadableException(Path file, String why) {
            super(file + " " + why);
        }
    }

    /** One thing that happened. */
    public sealed interface Moment {
        /** When, from the call's acceptance on. */
        long atNanos();
    }

    /** A packet of the caller came out of the edge's reorder buffer. */
    record Heard(long atNanos, InputPacket packet) implements Moment {}

    /** A key of a telephone was pressed and released. */
    record KeyPressed(long atNanos, char key, int durationMillis) implements Moment {}

    /** The client's data channel opened, closed or brought a message, or its media changed. */
    record ClientSaid(long atNanos, ConverseRequest message) implements Moment {}

    /** How long it was. */
    long lengthNanos() {
        return moments.isEmpty() ? 0 : moments.getLast().atNanos();
    }
}
