package dev.parley.transceiver.media;

/**
 * The time that a source of speech gets when our own turn comes late: whatever held it up kept the
 * caller's packets from the source as well, so what it says in real time is as late. Were silence
 * to fill in at once, all that follows would wait as long as the turn was late. Owned by the output
 * path.
 */
final class Grace {
    /** What comes no later than this is in time. */
    private static final long LATE_NANOS = 5_000_000L;

    /** More than a packet's time would be heard as a gap of its own. */
    private static final long MOST_NANOS = 20_000_000L;

    private boolean late;
    private long untilNanos;

    /** A turn comes that may write a packet. */
    void turn(long nowNanos, long dueNanos) {
        long behind = nowNanos - dueNanos;
        boolean lateBefore = late;
        late = behind >= LATE_NANOS;
        if (late && !lateBefore) {
            untilNanos = nowNanos + Math.min(behind, MOST_NANOS);
        }
    }

    /** Whether the turn is late that writes now. */
    boolean late() {
        return late;
    }

    /** When silence is due, if it is due at a time by the schedule. */
    long silenceNanos(long dueNanos) {
        return late && untilNanos - dueNanos > 0 ? untilNanos : dueNanos;
    }
}
