package dev.parley.rtc.sctp;

import org.jspecify.annotations.Nullable;

/** Chunks that were sent and are not acknowledged for good: a ring, indexed by TSN. */
final class Outstanding {
    private @Nullable OutboundChunk[] ring = new OutboundChunk[16];
    private long first;
    private long next;

    Outstanding(long firstTsn) {
        this.first = firstTsn;
        this.next = firstTsn;
    }

    /** The lowest that is there; equals {@link #next} when none is. */
    long first() {
        return first;
    }

    /** The TSN that the next chunk gets. */
    long next() {
        return next;
    }

    boolean isEmpty() {
        return first == next;
    }

    OutboundChunk at(long tsn) {
        OutboundChunk chunk = ring[(int) tsn & ring.length - 1];
        if (chunk == null || chunk.tsn() != tsn) {
            throw new IllegalStateException("no chunk " + tsn);
        }
        return chunk;
    }

    void add(OutboundChunk chunk) {
        if (next - first == ring.length) {
            grow();
        }
        ring[(int) chunk.tsn() & ring.length - 1] = chunk;
        next++;
    }

    OutboundChunk removeFirst() {
        OutboundChunk chunk = at(first);
        ring[(int) first & ring.length - 1] = null;
        first++;
        return chunk;
    }

    private void grow() {
        @Nullable OutboundChunk[] larger = new OutboundChunk[ring.length * 2];
        for (long tsn = first; tsn < next; tsn++) {
            larger[(int) tsn & larger.length - 1] = at(tsn);
        }
        ring = larger;
    }
}
