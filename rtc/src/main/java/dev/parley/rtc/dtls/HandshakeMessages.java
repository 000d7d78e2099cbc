package dev.parley.rtc.dtls;

/**
 * Keeps messages that nobody needs away from Bouncy Castle, which allocates as many bytes as the
 * first fragment of a handshake message announces: up to 16 MB, for up to 16 messages at a time.
 */
final class HandshakeMessages {
    /** Longest message in bytes that is let through: a certificate chain has a few thousand. */
    static final int MAX_LENGTH = 16_384;

    /** The content type of handshake records. */
    static final int CONTENT_TYPE = 22;

    private static final int RECORD_HEADER_LENGTH = 13;
    private static final int MESSAGE_HEADER_LENGTH = 12;

    private HandshakeMessages() {}

    /** Whether a datagram holds an unencrypted fragment of a message that is too long. */
    static boolean anyTooLongInDatagram(byte[] datagram, int offset, int length) {
        int end = offset + length;
        int at = offset;
        while (end - at >= RECORD_HEADER_LENGTH) {
            int recordAt = at + RECORD_HEADER_LENGTH;
            int recordLength = Math.min(uint16(datagram, at + 11), end - recordAt);
            boolean plaintext = uint16(datagram, at + 3) == 0;
            if (plaintext
                    && datagram[at] == CONTENT_TYPE
                    && anyTooLong(datagram, recordAt, recordLength)) {
                return true;
            }
            at = recordAt + recordLength;
        }
        return false;
    }

    /**
     * Whether the content of one handshake record has a fragment of a message that is too long.
     *
     * <pre>
     * msg_type (1) | length (3) | message_seq (2) | fragment_offset (3) | fragment_length (3)
     * </pre>
     */
    static boolean anyTooLong(byte[] content, int offset, int length) {
        int end = offset + length;
        int at = offset;
        while (end - at >= MESSAGE_HEADER_LENGTH) {
            if (uint24(content, at + 1) > MAX_LENGTH) {
                return true;
            }
            at += MESSAGE_HEADER_LENGTH + uint24(content, at + 9);
        }
        return false;
    }

    private static int uint16(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | (bytes[at + 1] & 0xFF);
    }

    private static int uint24(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 16 | uint16(bytes, at + 1);
    }
}
