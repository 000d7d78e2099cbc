package dev.parley.relay;

import java.util.Arrays;

/**
 * The relays of other clusters that have sent something, one for each start of each of their
 * workers: which gate they are, and which of their packets have come. Owned by a worker. Nothing is
 * allocated but by {@link #room}.
 */
final class LegSenders {
    static final int NONE = -1;

    /**
     * Most senders: a flow has 16 bits for the number of one, of which 0 and the last are taken.
     */
    static final int MAX = 65_534;

    /**
     * Sequence numbers remembered of each. What overtakes so many is lost, which at 100,000 packets
     * a second is 80 ms of one sender's.
     */
    static final int WINDOW = 8_192;

    private static final int WORDS = WINDOW / Long.SIZE;

    /** Senders that are looked at for one that may be forgotten. */
    private static final int LOOKS = 64;

    private static final long OCCUPIED = 1L << 63;

    private final long idleNanos;
    private long[] keys = new long[0];
    private long[] heardNanos = new long[0];
    private int[] newest = new int[0];
    private long[][] accepted = new long[0][];
    private int[] gateNames = new int[0];
    private int[] gates = new int[0];
    private int[] ways = new int[0];
    private int[] askedWays = new int[0];
    // Open addressing: where a key's number is, plus one; 0 for a free place.
    private int[] places = new int[2];
    private int count;
    private int hand;

    /**
     * Room for nobody.
     *
     * @param idleNanos how long a silent sender is remembered: longer than its packets can be sent
     *     again, and than flows refer to it
     */
    LegSenders(long idleNanos) {
        this.idleNanos = idleNanos;
    }

    /** Makes room for so many, {@link #MAX} at most; it never becomes less. */
    void room(int wanted) {
        int size = Math.min(wanted, MAX);
        int before = keys.length;
        if (size <= before) {
            return;
        }
        keys = Arrays.copyOf(keys, size);
        heardNanos = Arrays.copyOf(heardNanos, size);
        newest = Arrays.copyOf(newest, size);
        gateNames = Arrays.copyOf(gateNames, size);
        gates = Arrays.copyOf(gates, size);
        ways = Arrays.copyOf(ways, size);
        askedWays = Arrays.copyOf(askedWays, size);
        accepted = Arrays.copyOf(accepted, size);
        for (int number = before; number < size; number++) {
            accepted[number] = new long[WORDS];
        }
        places = new int[Integer.highestOneBit(2 * size - 1) * 2];
        for (int number = 0; number < count; number++) {
            places[freePlace(keys[number])] = number + 1;
        }
    }

    int room() {
        return keys.length;
    }

    /** Senders that are remembered, forgotten ones among them while nobody needs their room. */
    int count() {
        return count;
    }

    /** The number of a sender, which is new if need be; {@link #NONE} when there are too many. */
    int find(int cluster, int sender, int sequence, long nowNanos) {
        long key = OCCUPIED | (long) cluster << 32 | (sender & 0xFFFF_FFFFL);
        int mask = places.length - 1;
        int place = home(key) & mask;
        while (places[place] != 0) {
            int number = places[place] - 1;
            if (keys[number] == key) {
                return number;
            }
            place = (place + 1) & mask;
        }
        int number = claim(nowNanos);
        return number == NONE ? NONE : begin(number, key, sequence);
    }

    private static int home(long key) {
        return (int) ((key * 0x9E37_79B9_7F4A_7C15L) >>> 33);
    }

    private int begin(int number, long key, int sequence) {
        keys[number] = key;
        newest[number] = sequence - 1;
        gateNames[number] = 0;
        gates[number] = NONE;
        ways[number] = NONE;
        askedWays[number] = NONE;
        Arrays.fill(accepted[number], 0);
        places[freePlace(key)] = number + 1;
        return number;
    }

    private int freePlace(long key) {
        int mask = places.length - 1;
        int place = home(key) & mask;
        while (places[place] != 0) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private int claim(long nowNanos) {
        if (count < keys.length) {
            return count++;
        }
        for (int look = Math.min(LOOKS, count); look > 0; look--) {
            hand = hand + 1 < count ? hand + 1 : 0;
            if (nowNanos - heardNanos[hand] > idleNanos) {
                leave(hand);
                return hand;
            }
        }
        return NONE;
    }

    // Moves later ones of the cluster forward, so that no search ends at the gap too early.
    private void leave(int number) {
        int mask = places.length - 1;
        int hole = home(keys[number]) & mask;
        while (places[hole] != number + 1) {
            hole = (hole + 1) & mask;
        }
        for (int from = (hole + 1) & mask; places[from] != 0; from = (from + 1) & mask) {
            int wanted = home(keys[places[from] - 1]) & mask;
            if (((from - wanted) & mask) >= ((from - hole) & mask)) {
                places[hole] = places[from];
                hole = from;
            }
        }
        places[hole] = 0;
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
        long[] seen = accepted[number];
        if (ahead > 0) {
            forget(seen, newest[number], ahead);
            newest[number] = sequence;
        } else if ((seen[wordOf(sequence)] & 1L << sequence) != 0) {
            return false;
        }
        seen[wordOf(sequence)] |= 1L << sequence;
        heardNanos[number] = nowNanos;
        return true;
    }

    // The bits of the numbers that enter the window still tell of those that leave it.
    private static void forget(long[] seen, int newest, int ahead) {
        if (ahead >= WINDOW) {
            Arrays.fill(seen, 0);
            return;
        }
        for (int sequence = newest + 1; sequence != newest + ahead; sequence++) {
            seen[wordOf(sequence)] &= ~(1L << sequence);
        }
        int last = newest + ahead;
        seen[wordOf(last)] &= ~(1L << last);
    }

    private static int wordOf(int sequence) {
        return (sequence >>> 6) & (WORDS - 1);
    }

    /** Whether no later packet of the sender has come. */
    boolean isNewest(int number, int sequence) {
        return newest[number] == sequence;
    }

    // --- where it is

    /**
     * Says which gate a sender is.
     *
     * @param name as it calls itself
     * @param gate of the plan, or {@link #NONE} when the plan has none of this name
     */
    void at(int number, int name, int gate) {
        gateNames[number] = name;
        gates[number] = gate;
        ways[number] = NONE;
    }

    int gateName(int number) {
        return gateNames[number];
    }

    /** Its gate by the plan, or {@link #NONE}. */
    int gate(int number) {
        return gates[number];
    }

    /** Says which of its gate's ways its newest packet came by, or {@link #NONE}. */
    void cameBy(int number, int way) {
        ways[number] = way;
    }

    int way(int number) {
        return ways[number];
    }

    /** Says at which way it has answered, or {@link #NONE}. */
    void answeredAt(int number, int way) {
        askedWays[number] = way;
    }

    /** The way that it was asked at when it answered, or {@link #NONE}. */
    int askedWay(int number) {
        return askedWays[number];
    }

    int cluster(int number) {
        return (int) (keys[number] >>> 32) & 0xFFFF;
    }

    // --- for the process that follows

    /** What tells a sender from others. */
    long key(int number) {
        return keys[number];
    }

    int newest(int number) {
        return newest[number];
    }

    /**
     * Knows a sender of another process: what it has sent up to now has come.
     *
     * @return its number; {@link #NONE} when there are too many
     */
    int restore(long key, int gateName, int newestSequence, long nowNanos) {
        if (count == keys.length) {
            room(Math.max(LOOKS, 2 * count));
        }
        int before = count;
        int number = find((int) (key >>> 32) & 0xFFFF, (int) key, newestSequence, nowNanos);
        if (number == NONE || count == before) {
            return number;
        }
        newest[number] = newestSequence;
        Arrays.fill(accepted[number], -1);
        heardNanos[number] = nowNanos;
        gateNames[number] = gateName;
        return number;
    }
}
