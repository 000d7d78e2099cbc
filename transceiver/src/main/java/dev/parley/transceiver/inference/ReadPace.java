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

    /** The same for audio of what was cleared, which leaves nothing to do. */
    static final int CLEARED_BYTES = 1 << 10;

    /** What is dropped, or drops what was said before, counts so many times over. */
    static final int WASTE = 8;

    /** Shorter waits than this are not worth a timer. */
    static final long LEAST_WAIT_NANOS = 20_000_000L;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long BURST_NANOS = nanos(BURST_BYTES);

    private final LongSupplier clock;

    /** When the whole budget is there again. */
    private long fullNanos;

    ReadPace(LongSupplier clock) {
        this.clock = clock;
        this.fullNanos = clock.getAsLong();
    }

    /** A message without audio was read. */
    void read(int bytes) {
        spend(MESSAGE_BYTES + bytes);
    }

    /** Audio of what was cleared was read: two minutes of it in pieces of 20 ms come at once. */
    void cleared(int bytes) {
        spend(CLEARED_BYTES + bytes);
    }

    /** What was read comes to nothing. */
    void wasted(int bytes) {
        spend((long) WASTE * (MESSAGE_BYTES + bytes));
    }

    private synchronized void spend(long bytes) {
        long now = clock.getAsLong();
        fullNanos = now + Math.max(0, fullNanos - now) + nanos(bytes);
    }

    /** How long to wait before the next message is asked for. */
    synchronized long waitNanos() {
        long wait = fullNanos - clock.getAsLong() - BURST_NANOS;
        return wait <= 0 ? 0 : Math.max(LEAST_WAIT_NANOS, wait);
    }

    private static long nanos(long bytes) {
        return bytes * NANOS_PER_SECOND / BYTES_PER_SECOND;
    }
}
