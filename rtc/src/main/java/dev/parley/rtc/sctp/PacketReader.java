package dev.parley.rtc.sctp;

/**
 * Read-only view of one SCTP packet, RFC 9260 3. Each association owns one and re-points it per
 * datagram. {@link #wrap} checks the length of every chunk; then {@link #next} steps through them.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |      Source Port Number       |    Destination Port Number    |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                       Verification Tag                        |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                           Checksum                            |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
final class PacketReader {
    static final int HEADER_LENGTH = 12;
    static final int CHUNK_HEADER_LENGTH = 4;

    private byte[] bytes = new byte[HEADER_LENGTH];
    private int start;
    private int end;
    private int nextAt;
    private int at;

    /** Answers false unless the bytes are one whole packet with at least one chunk. */
    boolean wrap(byte[] datagram, int offset, int length) {
        bytes = datagram;
        start = offset;
        end = offset + length;
        rewind();
        while (nextAt < end) {
            if (end - nextAt < CHUNK_HEADER_LENGTH) {
                return false;
            }
            int chunkLength = Wire.u16(bytes, nextAt + 2);
            if (chunkLength < CHUNK_HEADER_LENGTH || chunkLength > end - nextAt) {
                return false;
            }
            nextAt += Wire.padded(chunkLength);
        }
        rewind();
        return length > HEADER_LENGTH;
    }

    /** Back to before the first chunk. */
    void rewind() {
        nextAt = start + HEADER_LENGTH;
    }

    /** Steps to the next chunk; false when there is none left. */
    boolean next() {
        if (nextAt >= end) {
            return false;
        }
        at = nextAt;
        nextAt = at + Wire.padded(chunkLength());
        return true;
    }

    int sourcePort() {
        return Wire.u16(bytes, start);
    }

    int destinationPort() {
        return Wire.u16(bytes, start + 2);
    }

    int verificationTag() {
        return Wire.i32(bytes, start + 4);
    }

    int checksum() {
        return Wire.i32(bytes, start + 8);
    }

    boolean isChecksumRight() {
        return Checksum.of(bytes, start, end - start) == checksum();
    }

    byte[] bytes() {
        return bytes;
    }

    int type() {
        return Wire.u8(bytes, at);
    }

    int flags() {
        return Wire.u8(bytes, at + 1);
    }

    /** Where the chunk with its header begins. */
    int chunkAt() {
        return at;
    }

    /** With its header, without padding. */
    int chunkLength() {
        return Wire.u16(bytes, at + 2);
    }

    /** Where the chunk's value begins. */
    int valueAt() {
        return at + CHUNK_HEADER_LENGTH;
    }

    /** Of the value, without padding. */
    int valueLength() {
        return chunkLength() - CHUNK_HEADER_LENGTH;
    }
}
