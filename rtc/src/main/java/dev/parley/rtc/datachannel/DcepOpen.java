package dev.parley.rtc.datachannel;

import dev.parley.rtc.sctp.Reliability;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A DATA_CHANNEL_OPEN message, RFC 8832 5.1. The priority is neither used nor asked for.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |  Message Type |  Channel Type |            Priority           |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                    Reliability Parameter                      |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |         Label Length          |       Protocol Length         |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                       Label, then Protocol                    |
 * </pre>
 *
 * @param ordered whether messages keep their order
 * @param reliability of messages, both ways
 */
record DcepOpen(boolean ordered, Reliability reliability, String label, String protocol) {
    static final int OPEN = 3;
    static final int ACK = 2;

    private static final int FIXED_LENGTH = 12;
    private static final int UNORDERED = 0x80;
    private static final int RELIABLE = 0;
    private static final int RETRANSMISSIONS = 1;
    private static final int LIFETIME = 2;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    /** Answers null when it does not parse. */
    static @Nullable DcepOpen find(byte[] message) {
        if (message.length < FIXED_LENGTH || message[0] != OPEN) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.wrap(message);
        int type = bytes.get(1) & 0xFF;
        Reliability reliability =
                reliability(type & ~UNORDERED, Integer.toUnsignedLong(bytes.getInt(4)));
        int labelLength = bytes.getShort(8) & 0xFFFF;
        int protocolLength = bytes.getShort(10) & 0xFFFF;
        if (reliability == null || message.length != FIXED_LENGTH + labelLength + protocolLength) {
            return null;
        }
        String label = text(bytes.slice(FIXED_LENGTH, labelLength));
        String protocol = text(bytes.slice(FIXED_LENGTH + labelLength, protocolLength));
        return label == null || protocol == null
                ? null
                : new DcepOpen((type & UNORDERED) == 0, reliability, label, protocol);
    }

    private static @Nullable Reliability reliability(int type, long parameter) {
        return switch (type) {
            case RELIABLE -> Reliability.RELIABLE;
            case RETRANSMISSIONS -> Reliability.retransmissions(parameter);
            case LIFETIME -> Reliability.lifetime(parameter * NANOS_PER_MILLI);
            default -> null;
        };
    }

    private static @Nullable String text(ByteBuffer utf8) {
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(utf8);
            return text.toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    byte[] bytes() {
        byte[] labelBytes = label.getBytes(StandardCharsets.UTF_8);
        byte[] protocolBytes = protocol.getBytes(StandardCharsets.UTF_8);
        int kind =
                switch (reliability.kind()) {
                    case RELIABLE -> RELIABLE;
                    case RETRANSMISSIONS -> RETRANSMISSIONS;
                    case LIFETIME -> LIFETIME;
                };
        long parameter =
                kind == LIFETIME ? reliability.limit() / NANOS_PER_MILLI : reliability.limit();
        return ByteBuffer.allocate(FIXED_LENGTH + labelBytes.length + protocolBytes.length)
                .put((byte) OPEN)
                .put((byte) (ordered ? kind : kind | UNORDERED))
                .putShort((short) 0)
                .putInt((int) Math.min(parameter, 0xFFFF_FFFFL))
                .putShort((short) labelBytes.length)
                .putShort((short) protocolBytes.length)
                .put(labelBytes)
                .put(protocolBytes)
                .array();
    }
}
