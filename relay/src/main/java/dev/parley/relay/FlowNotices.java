package dev.parley.relay;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What a worker tells of the flows that clients' checks have made: a bounded ring of figures, which
 * the worker fills and one other thread empties. What does not fit is counted and lost. Hot path
 * for the worker: no allocation, no lock, no exception, no log.
 */
final class FlowNotices {
    /** Takes a notice. */
    interface Reader {
        /**
         * A flow was made or moved.
         *
         * @param sessionHigh first half of the session id, as the client's token has it
         * @param sessionLow second half
         */
        void notice(Verdict verdict, long sessionHigh, long sessionLow, long atNanos);
    }

    private static final int CAPACITY = 512;
    private static final int STRIDE = 4;
    private static final Verdict[] VERDICTS = Verdict.values();

    private final long[] ring = new long[CAPACITY * STRIDE];
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong read = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();

    /** Leaves a notice; by the worker. */
    void leave(Verdict verdict, long sessionHigh, long sessionLow, long atNanos) {
        long place = written.getPlain();
        if (place - read.getAcquire() == CAPACITY) {
            lost.setRelease(lost.getPlain() + 1);
            return;
        }
        int at = at(place);
        ring[at] = verdict.ordinal();
        ring[at + 1] = sessionHigh;
        ring[at + 2] = sessionLow;
        ring[at + 3] = atNanos;
        written.setRelease(place + 1);
    }

    /** Takes all notices; by the one reader. */
    void drainTo(Reader reader) {
        long end = written.getAcquire();
        for (long place = read.getPlain(); place != end; place++) {
            int at = at(place);
            Verdict verdict = VERDICTS[(int) ring[at]];
            reader.notice(verdict, ring[at + 1], ring[at + 2], ring[at + 3]);
            read.setRelease(place + 1);
        }
    }

    /** Notices that did not fit; any thread may ask. */
    long lost() {
        return lost.getAcquire();
    }

    private static int at(long place) {
        return (int) (place % CAPACITY) * STRIDE;
    }
}
