package dev.parley.rtc.rtp;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Read-only view of one payload of redundant audio, RFC 2198 3: copies of earlier packets' payloads
 * and, last, the packet's own. Each media loop owns one and re-points it per packet, so reading
 * allocates nothing. Once {@link #wrap} has answered true no accessor can leave the payload.
 *
 * <pre>
 *  0                   1                    2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3  4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |F|   block PT  |  timestamp offset         |   block length    |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *
 *  0 1 2 3 4 5 6 7
 * +-+-+-+-+-+-+-+-+
 * |0|   block PT  |    the last header
 * +-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class RedReader {
    /** More blocks than any sender makes are no redundancy but a fault or an attack. */
    public static final int MAX_BLOCKS = 8;

    private static final int HEADER_LENGTH = 4;
    private static final int LAST_HEADER_LENGTH = 1;

    private final int[] types = new int[MAX_BLOCKS];
    private final int[] timestampOffsets = new int[MAX_BLOCKS];
    private final int[] offsets = new int[MAX_BLOCKS];
    private final int[] lengths = new int[MAX_BLOCKS];
    private int count;

    /** Answers false, with no block to read, unless the bytes are one whole RED payload. */
    public boolean wrap(ByteBuffer buffer, int offset, int length) {
        count = 0;
        int end = offset + length;
        int headerAt = offset;
        int blocks = 0;
        while (headerAt < end && buffer.get(headerAt) < 0) {
            if (blocks == MAX_BLOCKS - 1 || end - headerAt < HEADER_LENGTH) {
                return false;
            }
            int header = buffer.getInt(headerAt);
            types[blocks] = header >>> 24 & 0x7F;
            timestampOffsets[blocks] = header >>> 10 & 0x3FFF;
            lengths[blocks] = header & 0x3FF;
            headerAt += HEADER_LENGTH;
            blocks++;
        }
        if (headerAt >= end) {
            return false;
        }
        types[blocks] = buffer.get(headerAt) & 0x7F;
        timestampOffsets[blocks] = 0;
        int at = headerAt + LAST_HEADER_LENGTH;
        for (int i = 0; i < blocks; i++) {
            offsets[i] = at;
            at += lengths[i];
        }
        // RFC 2198 3: the last block takes what is left.
        offsets[blocks] = at;
        lengths[blocks] = end - at;
        if (at > end) {
            return false;
        }
        count = blocks + 1;
        return true;
    }

    /** Blocks, oldest first; the last one is the packet's own. 0 when nothing is wrapped. */
    public int count() {
        return count;
    }

    /** Payload type of block {@code i}, 0 to 127. */
    public int payloadType(int i) {
        return types[Objects.checkIndex(i, count)];
    }

    /** How much older than the packet's timestamp block {@code i} is, 0 to 16,383. */
    public int timestampOffset(int i) {
        return timestampOffsets[Objects.checkIndex(i, count)];
    }

    /** Where in the wrapped buffer block {@code i} begins. */
    public int offset(int i) {
        return offsets[Objects.checkIndex(i, count)];
    }

    /** Length in bytes of block {@code i}; may be 0. */
    public int length(int i) {
        return lengths[Objects.checkIndex(i, count)];
    }
}
