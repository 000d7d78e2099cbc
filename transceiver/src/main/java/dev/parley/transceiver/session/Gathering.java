package dev.parley.transceiver.session;

/**
 * Decides when a loop lets packets gather before it looks for them. With many calls there is always
 * one due, and a loop that is woken for each spends more on waking, on system calls and on waking
 * the transport behind it than on packets. With few calls nothing waits. Owned by a loop's thread.
 */
final class Gathering {
    private static final long WINDOW_NANOS = 100_000_000L;

    /** Packets, timers and commands in a window from which on it pays: those of some 40 calls. */
    private static final int MANY = 400;

    private final long waitNanos;
    private boolean many;
    private int count;
    private long windowNanos;

    /**
     * @param waitNanos how long the first of them may wait; 0 for not at all
     */
    Gathering(long waitNanos, long nowNanos) {
        this.waitNanos = waitNanos;
        this.windowNanos = nowNanos;
    }

    /** Notes what a turn of the loop has done. */
    void worked(int work, long nowNanos) {
        count += work;
        long window = nowNanos - windowNanos;
        if (window >= WINDOW_NANOS) {
            many = count * WINDOW_NANOS >= MANY * window;
            count = 0;
            windowNanos = nowNanos;
        }
    }

    /** How long to let packets gather after a turn that began and ended then; 0 or less for not. */
    long pauseNanos(long beganNanos, long endedNanos) {
        return many ? beganNanos + waitNanos - endedNanos : 0;
    }
}
