package dev.parley.rtc.ice;

/**
 * Remembers the transactions of the authenticated checks of one session, so that a check which
 * comes again is known for what it is: a retransmission, a duplicate, or one that somebody has
 * recorded and plays back. Owned by an {@link IceLite}.
 *
 * <p>Two open-addressed sets of transaction ids, each mixed to 64 bits: when the younger one is
 * full it becomes the older one, whose ids are forgotten. So at least the last {@value #GENERATION}
 * transactions are known, more than an hour of consent checks, in at most 64 KiB.
 */
final class CheckMemory {
    static final int GENERATION = 2_048;

    private static final int FIRST_CAPACITY = 32;
    private static final long EMPTY = 0;

    private final long seed;
    private long[] younger = new long[FIRST_CAPACITY];
    private long[] older = new long[0];
    private int size;

    /**
     * @param seed makes places in the sets unpredictable
     */
    CheckMemory(long seed) {
        this.seed = seed;
    }

    /** Notes a transaction; false when it is known. */
    boolean add(int idHigh, long idLow) {
        long id = mix(idHigh, idLow);
        if (contains(older, id)) {
            return false;
        }
        int at = find(younger, id);
        if (younger[at] == id) {
            return false;
        }
        younger[at] = id;
        size++;
        if (size * 2 > younger.length) {
            makeRoom();
        }
        return true;
    }

    private void makeRoom() {
        if (size >= GENERATION) {
            older = younger;
            younger = new long[FIRST_CAPACITY];
            size = 0;
            return;
        }
        long[] larger = new long[younger.length * 2];
        for (long id : younger) {
            if (id != EMPTY) {
                larger[find(larger, id)] = id;
            }
        }
        younger = larger;
    }

    private static boolean contains(long[] set, long id) {
        return set.length > 0 && set[find(set, id)] == id;
    }

    /** Where the id is, or where it belongs; no set is ever full. */
    private static int find(long[] set, long id) {
        int mask = set.length - 1;
        int at = (int) (id >>> 32) & mask;
        while (set[at] != EMPTY && set[at] != id) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private long mix(int idHigh, long idLow) {
        long hash = (idLow ^ seed) * 0x9E37_79B9_7F4A_7C15L;
        hash = (hash ^ idHigh ^ (hash >>> 32)) * 0xBF58_476D_1CE4_E5B9L;
        hash ^= hash >>> 29;
        return hash == EMPTY ? 1 : hash;
    }
}
