package dev.parley.rtc.sctp;

/**
 * Which TSNs have come: all up to the cumulative one, and islands beyond it. Owned by an
 * association; writes what a SACK says.
 */
final class ReceivedTsns {
    /** More islands than any sane loss makes within a window. */
    private static final int MAX_ISLANDS = 1_024;

    /** RFC 9260 3.3.4: gap ack blocks are 16-bit offsets. */
    private static final int MAX_OFFSET = 65_535;

    private static final int MAX_DUPLICATES = 32;
    private static final int SACK_LENGTH = 16;

    private final long[] starts = new long[MAX_ISLANDS];
    private final long[] ends = new long[MAX_ISLANDS];
    private final int[] duplicates = new int[MAX_DUPLICATES];
    private int islands;
    private int duplicateCount;
    private long cumulative;

    /** What {@link #check} says of a TSN. */
    enum Standing {
        NEW,
        DUPLICATE,
        TOO_FAR
    }

    ReceivedTsns(int initialTsn) {
        this.cumulative = Tsn.first(initialTsn) - 1;
    }

    long cumulative() {
        return cumulative;
    }

    boolean hasGaps() {
        return islands > 0;
    }

    long highest() {
        return islands == 0 ? cumulative : ends[islands - 1];
    }

    long extend(int onWire) {
        return Wire.extend(onWire, cumulative);
    }

    /** Whether a TSN is to be taken; notes duplicates for the next SACK. */
    Standing check(long tsn) {
        int island = islandAtOrAfter(tsn);
        if (tsn <= cumulative || (island < islands && starts[island] <= tsn)) {
            if (duplicateCount < MAX_DUPLICATES) {
                duplicates[duplicateCount++] = (int) tsn;
            }
            return Standing.DUPLICATE;
        }
        if (tsn - cumulative > MAX_OFFSET) {
            return Standing.TOO_FAR;
        }
        boolean touches =
                tsn == cumulative + 1
                        || (island < islands && starts[island] == tsn + 1)
                        || (island > 0 && ends[island - 1] == tsn - 1);
        return touches || islands < MAX_ISLANDS ? Standing.NEW : Standing.TOO_FAR;
    }

    /** Notes one that {@link #check} has called new. */
    void add(long tsn) {
        if (tsn == cumulative + 1) {
            cumulative = tsn;
            swallow();
            return;
        }
        int island = islandAtOrAfter(tsn);
        boolean joinsNext = island < islands && starts[island] == tsn + 1;
        boolean joinsPrevious = island > 0 && ends[island - 1] == tsn - 1;
        if (joinsNext && joinsPrevious) {
            ends[island - 1] = ends[island];
            remove(island);
        } else if (joinsNext) {
            starts[island] = tsn;
        } else if (joinsPrevious) {
            ends[island - 1] = tsn;
        } else {
            System.arraycopy(starts, island, starts, island + 1, islands - island);
            System.arraycopy(ends, island, ends, island + 1, islands - island);
            starts[island] = tsn;
            ends[island] = tsn;
            islands++;
        }
    }

    /** RFC 3758 3.6: the peer will not send what is missing up to a TSN. */
    void skipTo(long tsn) {
        if (tsn > cumulative) {
            cumulative = tsn;
            swallow();
        }
    }

    private void swallow() {
        int gone = 0;
        while (gone < islands && starts[gone] <= cumulative + 1) {
            cumulative = Math.max(cumulative, ends[gone]);
            gone++;
        }
        if (gone > 0) {
            System.arraycopy(starts, gone, starts, 0, islands - gone);
            System.arraycopy(ends, gone, ends, 0, islands - gone);
            islands -= gone;
        }
    }

    private void remove(int island) {
        System.arraycopy(starts, island + 1, starts, island, islands - island - 1);
        System.arraycopy(ends, island + 1, ends, island, islands - island - 1);
        islands--;
    }

    /** The first island that ends at a TSN or behind it. */
    private int islandAtOrAfter(long tsn) {
        int low = 0;
        int high = islands;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ends[middle] < tsn) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Length of the shortest SACK chunk. */
    static int sackLength() {
        return SACK_LENGTH;
    }

    // RFC 9260 3.3.4; as many blocks as fit, the lowest first.
    void writeSack(PacketWriter packet, int windowBytes) {
        int blocks = Math.min(islands, (packet.room() - SACK_LENGTH) / 4);
        int repeated = Math.min(duplicateCount, (packet.room() - SACK_LENGTH) / 4 - blocks);
        packet.chunk(Codes.Chunk.SACK, 0).i32((int) cumulative).i32(windowBytes);
        packet.u16(blocks).u16(repeated);
        for (int i = 0; i < blocks; i++) {
            packet.u16((int) (starts[i] - cumulative)).u16((int) (ends[i] - cumulative));
        }
        for (int i = 0; i < repeated; i++) {
            packet.i32(duplicates[i]);
        }
        packet.endChunk();
        duplicateCount = 0;
    }
}
