package dev.parley.transceiver.inference;

import dev.parley.transceiver.recording.CallTape;
import io.grpc.Status;
import java.lang.System.Logger.Level;

/**
 * Tells what happens to the streams of one call: the log, the counters, and the call's recording if
 * there is one. Owned by the call's {@link InferenceLink}; any thread may enter.
 */
final class LinkStory {
    private static final System.Logger LOGGER =
            System.getLogger(InferenceLink.class.getPackageName());

    private final String sessionId;
    private final LinkCounters links;

    // Of a call that is kept, from its acceptance on.
    private volatile CallTape tape = CallTape.NONE;

    LinkStory(String sessionId, LinkCounters links) {
        this.sessionId = sessionId;
        this.links = links;
    }

    /** Keeps what happens in the call. */
    CallTape tape() {
        return tape;
    }

    void keep(CallTape made) {
        tape = made;
    }

    void accepted() {
        links.increment(LinkEvent.ACCEPTED);
    }

    void refusedElsewhere() {
        links.increment(LinkEvent.REFUSED_ELSEWHERE);
    }

    void givenUp() {
        links.increment(LinkEvent.GIVEN_UP);
    }

    void tooLong() {
        links.increment(LinkEvent.MESSAGE_TOO_LONG);
    }

    void moved(Replica from, Replica to) {
        links.increment(LinkEvent.MOVED);
        tape.note("moved to " + to);
        LOGGER.log(Level.INFO, "session={0} moved from {1} to {2}", sessionId, from, to);
    }

    void resumed(Replica with, long afterMillis) {
        links.increment(LinkEvent.RESUMED);
        tape.note("goes on with " + with);
        LOGGER.log(
                Level.INFO,
                "session={0} goes on with {1} after {2} ms",
                sessionId,
                with,
                afterMillis);
    }

    void broke(Replica replica, Status status) {
        String why = StreamStatus.describe(status);
        links.increment(LinkEvent.BROKEN);
        LOGGER.log(
                Level.WARNING,
                "session={0} the stream to {1} broke ({2}); another one is looked for",
                sessionId,
                replica,
                why);
        tape.note("the stream to " + replica + " broke: " + why);
    }

    void ended(Status status) {
        tape.note("the stream ended: " + StreamStatus.describe(status));
    }

    void nobodyIsLeft(Status status) {
        tape.note("no stream is left: " + StreamStatus.describe(status));
    }
}
