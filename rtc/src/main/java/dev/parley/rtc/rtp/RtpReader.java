package dev.parley.rtc.rtp;

import java.nio.ByteBuffer;

/**
 * Read-only view of one RTP packet, RFC 3550 5.1. Each media loop owns one and re-points it per
 * packet, so reading allocates nothing. Once {@link #wrap} has answered true no accessor can leave
 * the packet; before, they must not be called.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |V=2|P|X|  CC   |M|     PT      |       sequence number         |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                           timestamp                           |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |           synchronization source (SSRC) identifier            |
 * +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
 * |            contributing source (CSRC) identifiers             |
 * |                             ....                              |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class RtpReader {
    /** Length in bytes of the header without CSRCs and extension. */
    public static final int FIXED_HEADER_LENGTH = 12;

    /** What an accessor answers for a header extension that the packet does not carry. */
    public static final int ABSENT = -1;

    private static final int EXTENSION_HEADER_LENGTH = 4;
    private static final int ONE_BYTE_PROFILE = 0xBEDE;
    private static final int TWO_BYTE_PROFILE = 0x1000;
    private static final int TWO_BYTE_PROFILE_MASK = 0xFFF0;

    private ByteBuffer packet = ByteBuffer.allocate(FIXED_HEADER_LENGTH);
    private int start;
    private int payloadAt;
    private int payloadLength;
    private int extensionProfile;
    private int extensionAt;
    private int extensionEnd;
    private int elementAt;
    private int elementLength;

    /** Answers false unless the bytes are one whole RTP packet; then nothing must be read. */
    public boolean wrap(ByteBuffer buffer, int offset, int length) {
        packet = buffer;
        start = offset;
        extensionProfile = 0;
        extensionAt = offset;
        extensionEnd = offset;
        if (length < FIXED_HEADER_LENGTH || (buffer.get(offset) & 0xC0) != 0x80) {
            return false;
        }
        int end = offset + length;
        payloadAt = offset + FIXED_HEADER_LENGTH + csrcCount() * Integer.BYTES;
        if ((buffer.get(offset) & 0x10) != 0 && !wrapExtension(end)) {
            return false;
        }
        payloadLength = end - payloadAt;
        return (buffer.get(offset) & 0x20) == 0 ? payloadLength >= 0 : stripPadding(end);
    }

    // RFC 3550 5.1: the last octet counts the padding, itself included.
    private boolean stripPadding(int end) {
        if (payloadLength <= 0) {
            return false;
        }
        int paddingLength = packet.get(end - 1) & 0xFF;
        payloadLength -= paddingLength;
        return paddingLength > 0 && payloadLength >= 0;
    }

    // RFC 3550 5.3.1
    private boolean wrapExtension(int end) {
        if (end - payloadAt < EXTENSION_HEADER_LENGTH) {
            return false;
        }
        extensionProfile = packet.getShort(payloadAt) & 0xFFFF;
        extensionAt = payloadAt + EXTENSION_HEADER_LENGTH;
        extensionEnd = extensionAt + (packet.getShort(payloadAt + 2) & 0xFFFF) * Integer.BYTES;
        payloadAt = extensionEnd;
        return extensionEnd <= end;
    }

    public boolean marker() {
        return packet.get(start + 1) < 0;
    }

    /** 0 to 127. */
    public int payloadType() {
        return packet.get(start + 1) & 0x7F;
    }

    /** 0 to 65535. */
    public int sequenceNumber() {
        return packet.getShort(start + 2) & 0xFFFF;
    }

    /** All 32 bits, as they are: compare by difference. */
    public int timestamp() {
        return packet.getInt(start + 4);
    }

    public int ssrc() {
        return packet.getInt(start + 8);
    }

    /** 0 to 15. */
    public int csrcCount() {
        return packet.get(start) & 0x0F;
    }

    /** Contributing source {@code i}, less than {@link #csrcCount}. */
    public int csrc(int i) {
        return packet.getInt(start + FIXED_HEADER_LENGTH + i * Integer.BYTES);
    }

    /** Where in the wrapped buffer the payload begins. */
    public int payloadOffset() {
        return payloadAt;
    }

    /** Length in bytes of the payload without padding; 0 in a packet of padding alone. */
    public int payloadLength() {
        return payloadLength;
    }

    /**
     * Looks for the header extension element with this id, in the one-byte or in the two-byte form
     * of RFC 8285. When it is there, {@link #elementOffset} and {@link #elementLength} tell where.
     */
    public boolean seekElement(int id) {
        if (extensionProfile == ONE_BYTE_PROFILE) {
            return seekOneByteElement(id);
        }
        return (extensionProfile & TWO_BYTE_PROFILE_MASK) == TWO_BYTE_PROFILE
                && seekTwoByteElement(id);
    }

    /** Where in the wrapped buffer the data of the element found last begins. */
    public int elementOffset() {
        return elementAt;
    }

    /** Length in bytes of the element found last. */
    public int elementLength() {
        return elementLength;
    }

    /**
     * The client-to-mixer audio level, RFC 6464 3, as it stands in the packet: {@link
     * #levelDbov(int)} and {@link #isVoice(int)} take it apart.
     *
     * @param id the extension's id in the negotiated {@code extmap}
     * @return 0 to 255, or {@link #ABSENT}
     */
    public int audioLevel(int id) {
        // RFC 6464 3: one byte; the two-byte form may be longer.
        return seekElement(id) && elementLength >= 1 ? packet.get(elementAt) & 0xFF : ABSENT;
    }

    /** The level in dBov, 0 (overload) to -127 (silence). */
    public static int levelDbov(int audioLevel) {
        return -(audioLevel & 0x7F);
    }

    /** Whether the sender believes that the packet holds voice. */
    public static boolean isVoice(int audioLevel) {
        return (audioLevel & 0x80) != 0;
    }

    // RFC 8285 4.2
    private boolean seekOneByteElement(int id) {
        int at = extensionAt;
        while (at < extensionEnd) {
            int elementId = packet.get(at) >>> 4 & 0x0F;
            int length = (packet.get(at) & 0x0F) + 1;
            if (elementId == 15 || (elementId == 0 && length > 1)) {
                // "processing of the entire extension MUST terminate at that point"
                return false;
            }
            if (elementId == 0) {
                at++;
            } else if (at + 1 + length > extensionEnd) {
                return false;
            } else if (elementId == id) {
                elementAt = at + 1;
                elementLength = length;
                return true;
            } else {
                at += 1 + length;
            }
        }
        return false;
    }

    // RFC 8285 4.3
    private boolean seekTwoByteElement(int id) {
        int at = extensionAt;
        while (at < extensionEnd) {
            int elementId = packet.get(at) & 0xFF;
            if (elementId == 0) {
                at++;
                continue;
            }
            if (at + 2 > extensionEnd || at + 2 + (packet.get(at + 1) & 0xFF) > extensionEnd) {
                return false;
            }
            int length = packet.get(at + 1) & 0xFF;
            if (elementId == id) {
                elementAt = at + 2;
                elementLength = length;
                return true;
            }
            at += 2 + length;
        }
        return false;
    }
}
