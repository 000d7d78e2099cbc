package dev.parley.transceiver.session;

import org.jspecify.annotations.Nullable;

/**
 * Finds sessions by client address, among addresses from which an authenticated check has come. Two
 * sessions may share an address; the one checked last comes first. An open-addressed table: looking
 * up allocates nothing. Owned by one media loop.
 */
@SuppressWarnings("ReferenceEquality") // A session is itself, whatever equals says.
final class PeerTable<T> {
    private static final int MIN_CAPACITY = 64;

    private final long seed;
    private long[] highs = new long[MIN_CAPACITY];
    private long[] lows = new long[MIN_CAPACITY];
    private int[] ports = new int[MIN_CAPACITY];
    private @Nullable T[] sessions = newArray(MIN_CAPACITY);
    private int size;

    /**
     * @param seed makes places in the table unpredictable to those who choose addresses
     */
    PeerTable(long seed) {
        this.seed = seed;
    }

    int size() {
        return size;
    }

    /** Position of the first session of an address, or -1. */
    int first(long high, long low, int port) {
        return probe(home(high, low, port), high, low, port);
    }

    /** Position of the next session of the same address, or -1. */
    int next(int position) {
        return probe((position + 1) & mask(), highs[position], lows[position], ports[position]);
    }

    T session(int position) {
        T session = sessions[position];
        if (session == null) {
            throw new IllegalArgumentException("nothing is at " + position);
        }
        return session;
    }

    /** Puts a session first among those of the address; answers whether it was not there before. */
    boolean put(long high, long low, int port, T session) {
        T moving = session;
        int position = first(high, low, port);
        // Each entry of the address takes the place of the one before it, down to where the
        // session stood, or to a new last place.
        while (position >= 0) {
            T displaced = session(position);
            sessions[position] = moving;
            if (displaced == session) {
                return false;
            }
            moving = displaced;
            position = next(position);
        }
        if ((size + 1) * 2 > sessions.length) {
            grow();
        }
        append(high, low, port, moving);
        size++;
        return true;
    }

    /** Forgets a session at an address. */
    void remove(long high, long low, int port, T session) {
        int position = first(high, low, port);
        while (position >= 0 && sessions[position] != session) {
            position = next(position);
        }
        if (position < 0) {
            return;
        }
        size--;
        int hole = position;
        int at = hole;
        while (true) {
            at = (at + 1) & mask();
            T other = sessions[at];
            if (other == null) {
                break;
            }
            int home = home(highs[at], lows[at], ports[at]);
            // Whoever hashes to the hole or before it may move there.
            if (((at - home) & mask()) >= ((at - hole) & mask())) {
                set(hole, highs[at], lows[at], ports[at], other);
                hole = at;
            }
        }
        sessions[hole] = null;
    }

    private int probe(int from, long high, long low, int port) {
        int at = from;
        while (sessions[at] != null) {
            if (lows[at] == low && ports[at] == port && highs[at] == high) {
                return at;
            }
            at = (at + 1) & mask();
        }
        return -1;
    }

    private void append(long high, long low, int port, T session) {
        int at = home(high, low, port);
        while (sessions[at] != null) {
            at = (at + 1) & mask();
        }
        set(at, high, low, port, session);
    }

    private void set(int at, long high, long low, int port, T session) {
        highs[at] = high;
        lows[at] = low;
        ports[at] = port;
        sessions[at] = session;
    }

    private void grow() {
        long[] oldHighs = highs;
        long[] oldLows = lows;
        int[] oldPorts = ports;
        @Nullable T[] oldSessions = sessions;
        int capacity = oldSessions.length * 2;
        highs = new long[capacity];
        lows = new long[capacity];
        ports = new int[capacity];
        sessions = newArray(capacity);
        // Sessions of one address keep their order if the walk starts at a free place.
        int start = 0;
        while (oldSessions[start] != null) {
            start++;
        }
        for (int i = 0; i < oldSessions.length; i++) {
            int from = (start + i) & (oldSessions.length - 1);
            T session = oldSessions[from];
            if (session != null) {
                append(oldHighs[from], oldLows[from], oldPorts[from], session);
            }
        }
    }

    private int home(long high, long low, int port) {
        long hash = (high ^ seed) * 0x9E37_79B9_7F4A_7C15L;
        hash = (hash ^ low ^ (hash >>> 32)) * 0xBF58_476D_1CE4_E5B9L;
        hash = (hash ^ port ^ (hash >>> 29)) * 0x94D0_49BB_1331_11EBL;
        return (int) (hash ^ (hash >>> 31)) & mask();
    }

    private int mask() {
        return sessions.length - 1;
    }

    @SuppressWarnings("unchecked") // Java cannot make an array of a type variable.
    private static <T> @Nullable T[] newArray(int capacity) {
        return (T[]) new Object[capacity];
    }
}
