package dev.parley.relay;

/**
 * Remembers for a while which sources nobody knows, by their hash, so that what they go on sending
 * asks the store nothing. Of two sources with one place the later stays. Owned by a worker.
 */
final class UnknownSources {
    private static final int PLACES = 1 << 14;

    private final long[] hashes = new long[PLACES];
    private final long[] untilNanos = new long[PLACES];

    void add(long hash, long untilNanos) {
        int place = place(hash);
        hashes[place] = hash;
        this.untilNanos[place] = untilNanos;
    }

    boolean contains(long hash, long nowNanos) {
        int place = place(hash);
        return hashes[place] == hash && untilNanos[place] - nowNanos > 0;
    }

    private static int place(long hash) {
        return (int) (hash >>> 32) & (PLACES - 1);
    }
}
