package dev.parley.relay;

import java.util.Arrays;

/**
 * The relays of other clusters that have sent something, one for each start of each of their
 * workers: where they are, and which of their packets have come. Owned by a worker. Nothing is
 * allocated after construction.
 */
final class LegSenders {
    static final int NONE = -1;

    /** Most senders; a power of two. */
    static final int MAX = 1_024;

    /**
     * Sequence numbers remembered of each. What overtakes so many is lost, which at 100,000 packets
     * a second is 80 ms of one sender's.
     */
    static final int WINDOW = 8_192;

    private static final int WORDS = WINDOW / Long.SIZE;
    private static final int PROBES = 64;
    private static final long OCCUPIED = 1L << 63;

    private final long[] keys = new long[MAX];
    private final long[] heardNanos = new long[MAX];
    private final int[] newest = new int[MAX];
    private final long[] accepted = new long[MAX * WORDS];
    private final long[] highs = new long[MAX];
    private final long[] lows = new long[MAX];
    private final int[] ports = new int[MAX];
    private final long idleNanos;

    /**
     * Nobody yet.
     *
     * @param idleNanos how long a silent sender is remembered: longer than its packets can be sent
     *     again, and than flows refer to it
     */
    LegSenders(long idleNanos) {
        this.idleNanos = idleNanos;
    }

    /** The number of a sender, which is new if need be; {@link #NONE} when there are too many. */
    int find(int cluster, int sender, int sequence, long nowNanos) {
        long key = OCCUPIED | (long) cluster << 32 | (sender & 0xFFFF_FFFFL);
        int home = (int) ((key * 0x9E37_79B9_7F4A_7C15L) >>> 50);
        int free = NONE;
        for (int probe = 0; probe < PROBES; probe++) {
            int place = (home + probe) & (MAX - 1);
            if (keys[place] == key) {
                return place;
            }
            if (free == NONE && (keys[place] == 0 || isForgotten(place, nowNanos))) {
                free = place;
            }
            if (keys[place] == 0) {
                break;
            }
        }
        if (free != NONE) {
            keys[free] = key;
            newest[free] = sequence - 1;
            ports[free] = 0;
            Arrays.fill(accepted, free * WORDS, (free + 1) * WORDS, 0);
        }
        return free;
    }

    private boolean isForgotten(int place, long nowNanos) {
        return nowNanos - heardNanos[place] > idleNanos;
    }

    /**
     * Takes a packet that its tag has shown to be genuine; false when it came before, or is older
     * than what is remembered. Numbers go round, so they compare by their difference (RFC 1982).
     */
    boolean accept(int number, int sequence, long nowNanos) {
        int ahead = sequence - newest[number];
        if (ahead <= -WINDOW) {
            return false;
        }
        int word = number * WORDS + wordOf(sequence);
        if (ahead > 0) {
            forget(number, ahead);
            newest[number] = sequence;
        } else if ((accepted[word] & 1L << sequence) != 0) {
            return false;
        }
        accepted[word] |= 1L << sequence;
        heardNanos[number] = nowNanos;
        return true;
    }

    // The bits of the numbers that enter the window still tell of those that leave it.
    private void forget(int number, int ahead) {
        if (ahead >= WINDOW) {
            Arrays.fill(accepted, number * WORDS, (number + 1) * WORDS, 0);
            return;
        }
        for (int sequence = newest[number] + 1; sequence != newest[number] + ahead; sequence++) {
            accepted[number * WORDS + wordOf(sequence)] &= ~(1L << sequence);
        }
        int last = newest[number] + ahead;
        accepted[number * WORDS + wordOf(last)] &= ~(1L << last);
    }

    private static int wordOf(int sequence) {
        return (sequence >>> 6) & (WORDS - 1);
    }

    /** Whether no later packet of the sender has come. */
    boolean isNewest(int number, int sequence) {
        return newest[number] == sequence;
    }

    /** Says where the sender's newest packet came from. */
    void seenAt(int number, long high, long low, int port) {
        highs[number] = high;
        lows[number] = low;
        ports[number] = port;
    }

    int cluster(int number) {
        return (int) (keys[number] >>> 32) & 0xFFFF;
    }

    long high(int number) {
        return highs[number];
    }

    long low(int number) {
        return lows[number];
    }

    /** 0 while it is not known where the sender is. */
    int port(int number) {
        return ports[number];
    }
}
