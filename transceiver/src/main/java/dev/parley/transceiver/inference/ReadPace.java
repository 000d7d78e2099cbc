package dev.parley.transceiver.inference;

import java.util.function.LongSupplier;

/**
 * How fast a call's backend is read. Audio that is to be played bounds itself, by what of it waits;
 * all else that a backend says without end takes time of a thread that its other calls share, and
 * memory. So that has a budget, which a backend that keeps to the contract does not notice. Owned
 * by the call's {@link InferenceLink}; any thread may enter.
 */
final class ReadPace {
    /** What is read at once: some 4,000 events, or a large one after a large one. */
    static final long BURST_BYTES = 16 << 20;

    /** What is read from then on. */
    static final long BYTES_PER_SECOND = 4 << 20;

    /** What each message counts for beside its length. */
    static final int MESSAGE_BYTES = 4 << 10;

    /** What is dropped, or drops what was said before, counts so many times over. */
    static final int WASTE = 8;

    /** Shorter waits than this are not worth a timer. */
    static final long LEAST_WAIT_NANOS = 20_000_000L;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final LongSupplier clock;
    private long left = BURST_BYTES;
    private long nanos;

    ReadPace(LongSupplier clock) {
        this.clock = clock;
        this.nanos = clock.getAsLong();
    }

    /** A message without audio was read. */
    void read(int bytes) {
        spend(MESSAGE_BYTES + bytes);
    }

    /** What was read comes to nothing. */
    void wasted(int bytes) {
        spend((long) WASTE * (MESSAGE_BYTES + bytes));
    }

    private synchronized void spend(long bytes) {
        refill();
        left -= bytes;
    }

    /** How long to wait before the next message is asked for. */
    synchronized long waitNanos() {
        refill();
        return left >= 0
                ? 0
                : Math.max(LEAST_WAIT_NANOS, -left * NANOS_PER_SECOND / BYTES_PER_SECOND);
    }

    private void refill() {
        long now = clock.getAsLong();
        // A longer time than it takes to fill the budget tells no more, and would overflow.
        long passed = Math.min(now - nanos, NANOS_PER_SECOND * BURST_BYTES / BYTES_PER_SECOND * 2);
        long more = passed * BYTES_PER_SECOND / NANOS_PER_SECOND;
        if (more > 0) {
            left = Math.min(BURST_BYTES, left + more);
            nanos = now;
        }
    }
}
