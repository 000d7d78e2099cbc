package dev.parley.relay;

import dev.parley.relay.store.StoreLane;
import dev.parley.runtime.udp.DatagramBatch;

/**
 * Datagrams of clients without a flow, kept while the store is asked for it: a few of each source,
 * copied into slots made once. A source has a place, by which its read is known; the place is its
 * own from {@link #claim} to {@link #free}. Owned by a worker.
 */
final class HeldDatagrams {
    static final int NONE = -1;

    /** Datagrams of one source. */
    static final int PER_SOURCE = 4;

    private static final int SOURCES = StoreLane.MAX_READS;

    /** Places that a source may have, by its hash. */
    private static final int PROBES = 8;

    private final DatagramBatch batch =
            new DatagramBatch(SOURCES * PER_SOURCE, Legs.HEADROOM, RelayWorker.MAX_DATAGRAM_BYTES);
    private final long[] hashes = new long[SOURCES];
    private final long[] clientHighs = new long[SOURCES];
    private final long[] clientLows = new long[SOURCES];
    private final int[] clientPorts = new int[SOURCES];
    private final long[] sinceNanos = new long[SOURCES];
    private final int[] sockets = new int[SOURCES];
    private final int[] publicIndexes = new int[SOURCES];
    private final int[] counts = new int[SOURCES];
    private final boolean[] claimed = new boolean[SOURCES];
    private final boolean[] asked = new boolean[SOURCES];
    private int size;

    /** The place of a source, or {@link #NONE}. */
    int find(long hash) {
        if (size == 0) {
            return NONE;
        }
        for (int probe = 0; probe < PROBES; probe++) {
            int place = (int) (hash + probe) & (SOURCES - 1);
            if (claimed[place] && hashes[place] == hash) {
                return place;
            }
        }
        return NONE;
    }

    /**
     * A place for the source of a datagram, or {@link #NONE} when all it may have are taken.
     *
     * @param socket index of the public socket it came in by
     */
    int claim(long hash, DatagramBatch from, int i, int socket, int publicIndex) {
        for (int probe = 0; probe < PROBES; probe++) {
            int place = (int) (hash + probe) & (SOURCES - 1);
            if (!claimed[place]) {
                claimed[place] = true;
                asked[place] = true;
                hashes[place] = hash;
                sockets[place] = socket;
                publicIndexes[place] = publicIndex;
                clientHighs[place] = from.addressHigh(i);
                clientLows[place] = from.addressLow(i);
                clientPorts[place] = from.port(i);
                counts[place] = 0;
                size++;
                return place;
            }
        }
        return NONE;
    }

    void free(int place) {
        claimed[place] = false;
        size--;
    }

    /** Copies a datagram; false when the source has as many as it may. */
    boolean add(int place, DatagramBatch from, int i, long nowNanos) {
        if (counts[place] == PER_SOURCE) {
            return false;
        }
        if (counts[place] == 0) {
            sinceNanos[place] = nowNanos;
        }
        int slot = first(place) + counts[place]++;
        int start = batch.slotOffset(slot) + batch.headroomBytes();
        batch.bytes().put(start, from.bytes(), from.start(i), from.length(i));
        batch.datagram(slot, start, from.length(i));
        batch.peer(slot, from.addressHigh(i), from.addressLow(i), from.port(i));
        batch.local(slot, from.localHigh(i), from.localLow(i));
        return true;
    }

    /** Where the datagrams are. */
    DatagramBatch batch() {
        return batch;
    }

    /** Slot of a source's first datagram; the others follow. */
    int first(int place) {
        return place * PER_SOURCE;
    }

    int count(int place) {
        return counts[place];
    }

    /** Forgets a source's datagrams; its place stays its own. */
    void clear(int place) {
        counts[place] = 0;
    }

    boolean isClaimed(int place) {
        return claimed[place];
    }

    /** Whether the store still owes an answer, so that the place cannot be another's. */
    boolean isAsked(int place) {
        return asked[place];
    }

    void answered(int place) {
        asked[place] = false;
    }

    long hash(int place) {
        return hashes[place];
    }

    /** When the first of the datagrams came, while there are any. */
    long sinceNanos(int place) {
        return sinceNanos[place];
    }

    long clientHigh(int place) {
        return clientHighs[place];
    }

    long clientLow(int place) {
        return clientLows[place];
    }

    int clientPort(int place) {
        return clientPorts[place];
    }

    /** Index of the public socket that the source uses. */
    int socket(int place) {
        return sockets[place];
    }

    int publicIndex(int place) {
        return publicIndexes[place];
    }

    /** Sources that have a place. */
    int size() {
        return size;
    }

    int places() {
        return SOURCES;
    }
}
