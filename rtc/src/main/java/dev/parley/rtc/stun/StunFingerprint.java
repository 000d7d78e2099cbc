package dev.parley.rtc.stun;

import java.nio.ByteBuffer;

/** FINGERPRINT, RFC 8489 14.7: the CRC-32 of ITU V.42, XORed with "STUN". */
public final class StunFingerprint {
    /** Bytes of the attribute, its header included. */
    static final int ATTRIBUTE_LENGTH = 8;

    private static final int STUN = 0x5354554E;
    private static final int[] CRC_TABLE = table();

    private StunFingerprint() {}

    /** The attribute's value over the first {@code length} bytes of a message. */
    static int of(ByteBuffer message, int offset, int length) {
        return crc32(message, offset, length) ^ STUN;
    }

    /** The CRC-32 alone, which also names DTLS datagrams in draft-hancke-webrtc-sped. */
    public static int crc32(ByteBuffer message, int offset, int length) {
        // By table: java.util.zip.CRC32 would want the buffer's position moved, or an object.
        int crc = -1;
        for (int i = offset; i < offset + length; i++) {
            crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ message.get(i)) & 0xFF];
        }
        return ~crc;
    }

    private static int[] table() {
        int[] table = new int[256];
        for (int i = 0; i < 256; i++) {
            int crc = i;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc >>> 1) ^ (0xEDB88320 & -(crc & 1));
            }
            table[i] = crc;
        }
        return table;
    }
}
