package dev.parley.relay;

/**
 * Remembers which transceiver each client address belongs to. A worker owns one; only its thread
 * calls it. A flow's key is the client's address and port and the public address it used, so one
 * client may have different calls on two public addresses.
 *
 * <p>Open addressing with linear probing over primitives: a packet costs one cache line or two, and
 * nothing is allocated after construction. Bounded in three ways: in flows, in addresses of one
 * session ({@link #MAX_ADDRESSES_PER_SESSION}) and in probes ({@link #MAX_PROBES}), which with the
 * seeded hash keeps every call constant in time, whatever keys strangers send. Expiry goes round a
 * few slots at a time; a flow past its time is never found even before its slot's turn.
 *
 * <p>Slot numbers are valid until the next call that may add or remove a flow.
 */
final class FlowTable {
    /** No such flow. */
    static final int NONE = -1;

    /** The table is full. */
    static final int TABLE_FULL = -2;

    /** The session has as many addresses as it may. */
    static final int SESSION_FULL = -3;

    /** No ufrag has said where the flow leads. */
    static final long NO_UFRAG = 0;

    static final int MAX_ADDRESSES_PER_SESSION = 16;
    static final int MAX_PROBES = 128;

    // Longs of a slot, 64 bytes in all.
    private static final int STRIDE_SHIFT = 3;
    private static final int CLIENT_HIGH = 0;
    private static final int CLIENT_LOW = 1;
    private static final int CLIENT_REST = 2;
    private static final int TRANSCEIVER_HIGH = 3;
    private static final int TRANSCEIVER_LOW = 4;
    private static final int TRANSCEIVER_PORT = 5;
    private static final int LAST_SEEN = 6;
    private static final int UFRAG_HASH = 7;

    /** Set in every occupied slot's {@link #CLIENT_REST}, beside port and public address. */
    private static final long OCCUPIED = 1L << 63;

    /**
     * Set in {@link #TRANSCEIVER_PORT} of a flow that neither its client nor its transceiver has
     * shown.
     */
    private static final long PROVISIONAL = 1L << 32;

    // What a flow crosses between clusters, in TRANSCEIVER_PORT as well; nothing of it is set where
    // client and transceiver are this cluster's. A flow leads over one leg at most: towards its
    // transceiver, whose cluster is then the number, or back towards its client, by the relay that
    // the number, less one, stands for.
    private static final long LEADS_AWAY = 1L << 33;
    private static final int NUMBER_SHIFT = 40;
    private static final long LEG = LEADS_AWAY | 0xFFFFL << NUMBER_SHIFT;

    /** The leg of a flow that crosses no border between clusters. */
    static final long NO_LEG = 0;

    /** No entry in the store is this flow's. */
    private static final long NOT_STORED = Long.MIN_VALUE;

    private final SeededHash hash;
    private final SessionCounts sessions;
    private final int maxFlows;
    private final long timeoutNanos;
    private final int capacity;
    private final int mask;
    private final long[] slots;
    // Apart from the slots: read only when a flow is made, moved or removed.
    private final long[] sessionIds;
    private final long[] storedNanos;
    private int size;
    private int hand;

    /**
     * An empty table.
     *
     * @param maxFlows most flows at once
     * @param timeoutNanos how long a flow lives without {@link #touch}
     */
    FlowTable(SeededHash hash, int maxFlows, long timeoutNanos) {
        this.hash = hash;
        this.maxFlows = maxFlows;
        this.timeoutNanos = timeoutNanos;
        this.sessions = new SessionCounts(hash, maxFlows, MAX_ADDRESSES_PER_SESSION);
        this.capacity = capacityFor(maxFlows);
        this.mask = capacity - 1;
        this.slots = new long[capacity << STRIDE_SHIFT];
        this.sessionIds = new long[capacity * 2];
        this.storedNanos = new long[capacity];
    }

    /** Sees every flow in turn as {@link #expire} goes round. */
    interface Sweep {
        /** The flow is alive. */
        void alive(int slot, long nowNanos);

        /** The flow is past its time and about to be removed. */
        void expired(int slot);
    }

    /** Slots of a table: between a quarter and half full at most, so that clusters stay short. */
    static int capacityFor(int maxFlows) {
        return Integer.highestOneBit(2 * maxFlows - 1) * 2;
    }

    /** The live flow of a client at one public address, or {@link #NONE}. */
    int find(long clientHigh, long clientLow, int clientPort, int publicIndex, long nowNanos) {
        long rest = rest(clientPort, publicIndex);
        int slot = (int) hash.of(clientHigh, clientLow, rest) & mask;
        for (int probe = 0; probe < MAX_PROBES; probe++) {
            int at = slot << STRIDE_SHIFT;
            long found = slots[at + CLIENT_REST];
            if (found == 0) {
                return NONE;
            }
            if (found == rest
                    && slots[at + CLIENT_LOW] == clientLow
                    && slots[at + CLIENT_HIGH] == clientHigh) {
                return alive(slot, nowNanos);
            }
            slot = (slot + 1) & mask;
        }
        return NONE;
    }

    private int alive(int slot, long nowNanos) {
        if (isExpired(slot, nowNanos)) {
            remove(slot);
            return NONE;
        }
        return slot;
    }

    /**
     * Adds a flow that {@link #find} has not found; it leads nowhere until {@link #point}. Session
     * id 0 means that the session is not known yet.
     *
     * @return the slot, {@link #TABLE_FULL} or {@link #SESSION_FULL}
     */
    int insert(
            long clientHigh,
            long clientLow,
            int clientPort,
            int publicIndex,
            long sessionHigh,
            long sessionLow,
            long nowNanos) {
        if (size >= maxFlows) {
            return TABLE_FULL;
        }
        long rest = rest(clientPort, publicIndex);
        int slot = freeSlot((int) hash.of(clientHigh, clientLow, rest) & mask);
        if (slot < 0) {
            return TABLE_FULL;
        }
        if (isKnown(sessionHigh, sessionLow) && !sessions.acquire(sessionHigh, sessionLow)) {
            return SESSION_FULL;
        }
        int at = slot << STRIDE_SHIFT;
        slots[at + CLIENT_HIGH] = clientHigh;
        slots[at + CLIENT_LOW] = clientLow;
        slots[at + CLIENT_REST] = rest;
        slots[at + LAST_SEEN] = nowNanos;
        sessionIds[slot * 2] = sessionHigh;
        sessionIds[slot * 2 + 1] = sessionLow;
        storedNanos[slot] = NOT_STORED;
        size++;
        return slot;
    }

    private int freeSlot(int home) {
        for (int probe = 0; probe < MAX_PROBES; probe++) {
            int slot = (home + probe) & mask;
            if (slots[(slot << STRIDE_SHIFT) + CLIENT_REST] == 0) {
                return slot;
            }
        }
        return TABLE_FULL;
    }

    /** Gives a flow to another session; false, changing nothing, when that session is full. */
    boolean assign(int slot, long sessionHigh, long sessionLow) {
        long oldHigh = sessionIds[slot * 2];
        long oldLow = sessionIds[slot * 2 + 1];
        if (!SessionCounts.same(oldHigh, oldLow, sessionHigh, sessionLow)) {
            if (!sessions.acquire(sessionHigh, sessionLow)) {
                return false;
            }
            releaseSession(oldHigh, oldLow);
            storedNanos[slot] = NOT_STORED;
        }
        sessionIds[slot * 2] = sessionHigh;
        sessionIds[slot * 2 + 1] = sessionLow;
        return true;
    }

    /**
     * Says where a flow leads. It is no longer provisional.
     *
     * @param leg what it crosses between clusters: {@link #NO_LEG}, {@link #towards} or {@link
     *     #through}
     * @param ufragHash hash of the ufrag that said so, or {@link #NO_UFRAG}
     */
    void point(int slot, long high, long low, int port, long leg, long ufragHash) {
        int at = slot << STRIDE_SHIFT;
        if (slots[at + TRANSCEIVER_LOW] != low
                || slots[at + TRANSCEIVER_HIGH] != high
                || slots[at + TRANSCEIVER_PORT] != (port | leg)) {
            storedNanos[slot] = NOT_STORED;
        }
        slots[at + TRANSCEIVER_HIGH] = high;
        slots[at + TRANSCEIVER_LOW] = low;
        slots[at + TRANSCEIVER_PORT] = port | leg;
        slots[at + UFRAG_HASH] = ufragHash;
    }

    /** The leg of a flow whose transceiver is another cluster's. */
    static long towards(int cluster) {
        return LEADS_AWAY | (long) cluster << NUMBER_SHIFT;
    }

    /** The leg of a flow whose client comes in by another cluster's relay. */
    static long through(int relay) {
        return (relay + 1L) << NUMBER_SHIFT;
    }

    /** What a flow crosses between clusters. */
    long leg(int slot) {
        return slots[(slot << STRIDE_SHIFT) + TRANSCEIVER_PORT] & LEG;
    }

    /** Changes nothing but how a flow's client is reached: directly. */
    void enterHere(int slot) {
        slots[(slot << STRIDE_SHIFT) + TRANSCEIVER_PORT] &= ~LEG;
    }

    /** Whether a flow leads to a transceiver, which is certain, over a leg. */
    boolean leadsTo(int slot, long high, long low, int port, long leg) {
        int at = slot << STRIDE_SHIFT;
        return slots[at + TRANSCEIVER_PORT] == (port | leg)
                && slots[at + TRANSCEIVER_LOW] == low
                && slots[at + TRANSCEIVER_HIGH] == high;
    }

    /** Whether a leg is one of {@link #towards}. */
    static boolean leadsAway(long leg) {
        return (leg & LEADS_AWAY) != 0;
    }

    /** The cluster of {@link #towards}. */
    static int clusterOf(long leg) {
        return (int) (leg >>> NUMBER_SHIFT) & 0xFFFF;
    }

    /** The relay of {@link #through}. */
    static int relayOf(long leg) {
        return clusterOf(leg) - 1;
    }

    /** A packet came from the client or went to it: the flow lives on. */
    void touch(int slot, long nowNanos) {
        slots[(slot << STRIDE_SHIFT) + LAST_SEEN] = nowNanos;
    }

    /**
     * Makes a flow provisional: the store alone says so. Neither packets of its client keep it
     * alive nor is it stored again, until the client's token or its transceiver has shown it.
     *
     * @param lifeNanos how long it lives until then
     */
    void doubt(int slot, long nowNanos, long lifeNanos) {
        int at = slot << STRIDE_SHIFT;
        slots[at + TRANSCEIVER_PORT] |= PROVISIONAL;
        slots[at + LAST_SEEN] = nowNanos - timeoutNanos + Math.min(lifeNanos, timeoutNanos);
    }

    /** Takes a flow from its session: whose it is now is not known yet. */
    void disown(int slot) {
        releaseSession(sessionIds[slot * 2], sessionIds[slot * 2 + 1]);
        sessionIds[slot * 2] = 0;
        sessionIds[slot * 2 + 1] = 0;
    }

    /** The flow's transceiver has shown it. */
    void confirm(int slot) {
        slots[(slot << STRIDE_SHIFT) + TRANSCEIVER_PORT] &= ~PROVISIONAL;
    }

    boolean isProvisional(int slot) {
        return (slots[(slot << STRIDE_SHIFT) + TRANSCEIVER_PORT] & PROVISIONAL) != 0;
    }

    /**
     * Looks at the next few slots in turn and removes flows past their time.
     *
     * @return how many were removed
     */
    int expire(long nowNanos, int slotsToLookAt, Sweep sweep) {
        int removed = 0;
        for (int i = 0; i < slotsToLookAt; i++) {
            // A removal may move a later flow here, which is then looked at as well.
            while (isOccupied(hand) && isExpired(hand, nowNanos)) {
                sweep.expired(hand);
                remove(hand);
                removed++;
            }
            if (isOccupied(hand)) {
                sweep.alive(hand, nowNanos);
            }
            hand = (hand + 1) & mask;
        }
        return removed;
    }

    /** An entry in the store is this flow's, written or refreshed now. */
    void stored(int slot, long nowNanos) {
        storedNanos[slot] = nowNanos == NOT_STORED ? nowNanos + 1 : nowNanos;
    }

    boolean isStored(int slot) {
        return storedNanos[slot] != NOT_STORED;
    }

    /** How long ago the entry in the store was written or refreshed, for a flow that has one. */
    long storedAgeNanos(int slot, long nowNanos) {
        return nowNanos - storedNanos[slot];
    }

    private boolean isExpired(int slot, long nowNanos) {
        return ageNanos(slot, nowNanos) > timeoutNanos;
    }

    /** Time since the flow was last touched. */
    long ageNanos(int slot, long nowNanos) {
        return nowNanos - slots[(slot << STRIDE_SHIFT) + LAST_SEEN];
    }

    private void remove(int slot) {
        releaseSession(sessionIds[slot * 2], sessionIds[slot * 2 + 1]);
        size--;
        int hole = slot;
        // Moves later members of the cluster forward, so that no search ends at the gap too early.
        for (int from = (hole + 1) & mask; isOccupied(from); from = (from + 1) & mask) {
            int at = from << STRIDE_SHIFT;
            int home =
                    (int)
                                    hash.of(
                                            slots[at + CLIENT_HIGH],
                                            slots[at + CLIENT_LOW],
                                            slots[at + CLIENT_REST])
                            & mask;
            if (((from - home) & mask) >= ((from - hole) & mask)) {
                System.arraycopy(slots, at, slots, hole << STRIDE_SHIFT, 1 << STRIDE_SHIFT);
                sessionIds[hole * 2] = sessionIds[from * 2];
                sessionIds[hole * 2 + 1] = sessionIds[from * 2 + 1];
                storedNanos[hole] = storedNanos[from];
                hole = from;
            }
        }
        slots[(hole << STRIDE_SHIFT) + CLIENT_REST] = 0;
    }

    boolean isOccupied(int slot) {
        return slots[(slot << STRIDE_SHIFT) + CLIENT_REST] != 0;
    }

    private void releaseSession(long high, long low) {
        if (isKnown(high, low)) {
            sessions.release(high, low);
        }
    }

    private static boolean isKnown(long sessionHigh, long sessionLow) {
        return (sessionHigh | sessionLow) != 0;
    }

    /** Whether a token or the store has told the flow's session. */
    boolean knowsSession(int slot) {
        return isKnown(sessionIds[slot * 2], sessionIds[slot * 2 + 1]);
    }

    long sessionHigh(int slot) {
        return sessionIds[slot * 2];
    }

    long sessionLow(int slot) {
        return sessionIds[slot * 2 + 1];
    }

    long clientHigh(int slot) {
        return slots[(slot << STRIDE_SHIFT) + CLIENT_HIGH];
    }

    long clientLow(int slot) {
        return slots[(slot << STRIDE_SHIFT) + CLIENT_LOW];
    }

    int clientPort(int slot) {
        return (int) (slots[(slot << STRIDE_SHIFT) + CLIENT_REST] >>> 16) & 0xFFFF;
    }

    /** Index of the public address that the client uses. */
    int publicIndex(int slot) {
        return (int) slots[(slot << STRIDE_SHIFT) + CLIENT_REST] & 0xFFFF;
    }

    private static long rest(int clientPort, int publicIndex) {
        return OCCUPIED | ((long) clientPort << 16) | publicIndex;
    }

    long transceiverHigh(int slot) {
        return slots[(slot << STRIDE_SHIFT) + TRANSCEIVER_HIGH];
    }

    long transceiverLow(int slot) {
        return slots[(slot << STRIDE_SHIFT) + TRANSCEIVER_LOW];
    }

    int transceiverPort(int slot) {
        return (int) slots[(slot << STRIDE_SHIFT) + TRANSCEIVER_PORT] & 0xFFFF;
    }

    long ufragHash(int slot) {
        return slots[(slot << STRIDE_SHIFT) + UFRAG_HASH];
    }

    /** Flows in the table, those past their time but not yet removed included. */
    int size() {
        return size;
    }

    int maxFlows() {
        return maxFlows;
    }

    /** Slots; {@link #size} divided by it is the load. */
    int capacity() {
        return capacity;
    }
}
