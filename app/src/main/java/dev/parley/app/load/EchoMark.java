package dev.parley.app.load;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A mark in the padding of an Opus packet (RFC 6716 3.2.5), which decoders pass over and an echo of
 * Opus brings back: whose packet it was, which one, and when it left. Owned by one thread.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                          "PrlY"                               |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                      caller's number                          |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                      packet's number                          |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                when it left, nanoseconds                      |
 * |                                                               |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
final class EchoMark {
    /** Bytes of a mark. */
    static final int LENGTH = 20;

    private static final int MAGIC = 0x50726C59;
    private static final int FRAMES_CODE = 3;
    private static final int PADDED_SINGLE_FRAME = 0x41;

    private int caller;
    private int number;
    private long sentNanos;

    /**
     * The same frame in a packet with room for a mark at its end.
     *
     * @param packet of one frame (code 0)
     * @return null when the packet holds anything else
     */
    static byte @Nullable [] withRoom(byte[] packet) {
        if (packet.length == 0 || (packet[0] & FRAMES_CODE) != 0) {
            return null;
        }
        byte[] roomy = new byte[packet.length + 2 + LENGTH];
        roomy[0] = (byte) (packet[0] | FRAMES_CODE);
        roomy[1] = PADDED_SINGLE_FRAME;
        roomy[2] = LENGTH;
        System.arraycopy(packet, 1, roomy, 3, packet.length - 1);
        return roomy;
    }

    /** Writes a mark at the end of the packet at {@code offset}, which has room for it. */
    static void write(
            ByteBuffer bytes, int offset, int length, int caller, int number, long sentNanos) {
        int at = offset + length - LENGTH;
        bytes.putInt(at, MAGIC);
        bytes.putInt(at + 4, caller);
        bytes.putInt(at + 8, number);
        bytes.putLong(at + 12, sentNanos);
    }

    /** Answers false unless the packet at {@code offset} ends with a mark. */
    boolean wrap(ByteBuffer bytes, int offset, int length) {
        int at = offset + length - LENGTH;
        if (length < LENGTH + 3 || bytes.getInt(at) != MAGIC) {
            return false;
        }
        caller = bytes.getInt(at + 4);
        number = bytes.getInt(at + 8);
        sentNanos = bytes.getLong(at + 12);
        return true;
    }

    int caller() {
        return caller;
    }

    int number() {
        return number;
    }

    long sentNanos() {
        return sentNanos;
    }
}
