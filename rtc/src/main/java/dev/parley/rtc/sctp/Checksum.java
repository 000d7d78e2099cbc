package dev.parley.rtc.sctp;

import java.util.zip.CRC32C;

/** The CRC32c of a packet, RFC 9260 6.8 and Appendix A. */
final class Checksum {
    private static final int CHECKSUM_AT = 8;
    private static final byte[] ZERO = new byte[Integer.BYTES];

    private Checksum() {}

    /** As it stands in the packet: reflected, so its bytes are in the other order. */
    static int of(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, CHECKSUM_AT);
        crc.update(ZERO, 0, ZERO.length);
        int after = CHECKSUM_AT + ZERO.length;
        crc.update(bytes, offset + after, length - after);
        return Integer.reverseBytes((int) crc.getValue());
    }
}
