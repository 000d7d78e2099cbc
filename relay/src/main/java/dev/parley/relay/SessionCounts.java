package dev.parley.relay;

/**
 * Counts the live client addresses of each session, so that one stolen ufrag cannot fill the flow
 * table. Open addressing on the session id; owned by the flow table. Allocates nothing after
 * construction.
 *
 * <p>Of a session id only the first 12 bytes count: they are the nonce of the route token and so
 * vouched for by its tag, while anyone could vary the other 4.
 */
final class SessionCounts {
    private static final long VOUCHED_LOW = 0xFFFF_FFFF_0000_0000L;

    private final SeededHash hash;
    private final int limit;
    private final int mask;
    private final long[] highs;
    private final long[] lows;
    private final int[] counts;

    /**
     * A table of no sessions.
     *
     * @param sessions most sessions at once
     * @param limit most addresses of one session
     */
    SessionCounts(SeededHash hash, int sessions, int limit) {
        this.hash = hash;
        this.limit = limit;
        int capacity = FlowTable.capacityFor(sessions);
        this.mask = capacity - 1;
        this.highs = new long[capacity];
        this.lows = new long[capacity];
        this.counts = new int[capacity];
    }

    /** Adds an address to a session; false, changing nothing, when it has as many as it may. */
    boolean acquire(long sessionHigh, long sessionLow) {
        int at = locate(sessionHigh, sessionLow & VOUCHED_LOW);
        if (counts[at] >= limit) {
            return false;
        }
        highs[at] = sessionHigh;
        lows[at] = sessionLow & VOUCHED_LOW;
        counts[at]++;
        return true;
    }

    /** Takes back one {@link #acquire}. */
    void release(long sessionHigh, long sessionLow) {
        int at = locate(sessionHigh, sessionLow & VOUCHED_LOW);
        if (counts[at] > 0 && --counts[at] == 0) {
            close(at);
        }
    }

    int count(long sessionHigh, long sessionLow) {
        return counts[locate(sessionHigh, sessionLow & VOUCHED_LOW)];
    }

    /** Whether both ids are one session as far as their tokens vouch for it. */
    static boolean same(long highA, long lowA, long highB, long lowB) {
        return highA == highB && ((lowA ^ lowB) & VOUCHED_LOW) == 0;
    }

    /** The session's place, or the empty one where it would go. */
    private int locate(long high, long low) {
        int at = home(high, low);
        while (counts[at] != 0 && (highs[at] != high || lows[at] != low)) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private int home(long high, long low) {
        return (int) hash.of(high, low, 0) & mask;
    }

    // Moves later members of the cluster forward, so that no search ends at the gap too early.
    private void close(int gap) {
        int hole = gap;
        for (int at = (hole + 1) & mask; counts[at] != 0; at = (at + 1) & mask) {
            int home = home(highs[at], lows[at]);
            if (((at - home) & mask) >= ((at - hole) & mask)) {
                highs[hole] = highs[at];
                lows[hole] = lows[at];
                counts[hole] = counts[at];
                counts[at] = 0;
                hole = at;
            }
        }
    }
}
