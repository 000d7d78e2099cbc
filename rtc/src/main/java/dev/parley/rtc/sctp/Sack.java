package dev.parley.rtc.sctp;

import org.jspecify.annotations.Nullable;

/**
 * What a SACK chunk says, RFC 9260 3.3.4, in TSNs of what is outstanding. Owned by a {@link
 * RetransmissionQueue}, which points it at one chunk after another; it is valid as long as that is.
 */
final class Sack {
    private static final int FIXED_LENGTH = 12;
    private static final int GAP_BLOCK_LENGTH = 4;

    private byte[] bytes = new byte[0];
    private int blocksAt;
    private int blocks;
    private long cumulative;
    private int window;

    /** Answers why the chunk is to be dropped, or null when all of it can be believed. */
    @Nullable SctpDrop wrap(PacketReader chunk, Outstanding outstanding) {
        if (chunk.valueLength() < FIXED_LENGTH) {
            return SctpDrop.MALFORMED_CHUNK;
        }
        bytes = chunk.bytes();
        int at = chunk.valueAt();
        blocksAt = at + FIXED_LENGTH;
        blocks = Wire.u16(bytes, at + 8);
        int repeated = Wire.u16(bytes, at + 10);
        if (chunk.valueLength() < FIXED_LENGTH + GAP_BLOCK_LENGTH * (blocks + repeated)) {
            return SctpDrop.MALFORMED_CHUNK;
        }
        cumulative = Wire.extend(Wire.i32(bytes, at), outstanding.first() - 1);
        int onWire = Wire.i32(bytes, at + 4);
        window = onWire < 0 ? Integer.MAX_VALUE : onWire;
        return refusal(outstanding);
    }

    private @Nullable SctpDrop refusal(Outstanding outstanding) {
        if (cumulative < outstanding.first() - 1) {
            return SctpDrop.OLD_SACK;
        }
        if (cumulative >= outstanding.next()) {
            return SctpDrop.IMPOSSIBLE_SACK;
        }
        for (int i = 0; i < blocks; i++) {
            long start = blockStart(i);
            if (start < cumulative + 2
                    || blockEnd(i) < start
                    || blockEnd(i) >= outstanding.next()) {
                return SctpDrop.IMPOSSIBLE_SACK;
            }
        }
        return null;
    }

    /**
     * RFC 9260 9.2: a SHUTDOWN acknowledges as a SACK without gaps does. Answers whether there is
     * anything new in it.
     *
     * @param peerWindow what the peer has said last that it can take
     */
    boolean ofShutdown(int tsn, int peerWindow, Outstanding outstanding) {
        cumulative = Wire.extend(tsn, outstanding.first() - 1);
        window = peerWindow;
        blocks = 0;
        return cumulative >= outstanding.first() && cumulative < outstanding.next();
    }

    /** All up to here has come. */
    long cumulative() {
        return cumulative;
    }

    /** What the peer can take. */
    int window() {
        return window;
    }

    /** Runs of chunks that have come behind a gap; they may overlap. */
    int blocks() {
        return blocks;
    }

    /** The first of a run. */
    long blockStart(int index) {
        return cumulative + Wire.u16(bytes, blocksAt + index * GAP_BLOCK_LENGTH);
    }

    /** The last of it. */
    long blockEnd(int index) {
        return cumulative + Wire.u16(bytes, blocksAt + index * GAP_BLOCK_LENGTH + 2);
    }
}
