package dev.parley.e2e.lab;

/**
 * One packet that came out of a link, as far as it can be read without keys.
 *
 * @param nanos when, on the clock of {@link System#nanoTime}
 * @param detail of HTTP the first bytes as text, of a handshake the message's type (RFC 6347
 *     4.2.2), else nothing
 */
public record Arrival(long nanos, Kind kind, String detail) {
    /** What it is, RFC 7983 7 and RFC 5761 4. */
    public enum Kind {
        /** A TCP segment with something in it. */
        TCP,
        STUN_REQUEST,
        STUN_ANSWER,
        /** The first record is a handshake message in the clear. */
        DTLS_HANDSHAKE,
        /** The first record changes to the keys, which a server's last flight begins with. */
        DTLS_FINISHED,
        /** Under the handshake's keys: SCTP. */
        DTLS_DATA,
        RTP,
        RTCP,
        OTHER
    }

    private static final int DTLS_MESSAGE_AT = 13;

    static Arrival of(Ipv4Packet packet, long nanos) {
        if (packet.protocol() == Ipv4Packet.TCP) {
            String text = packet.tcpText();
            return new Arrival(nanos, text.isEmpty() ? Kind.OTHER : Kind.TCP, text);
        }
        if (!packet.isUdp() || packet.payloadLength() < 2) {
            return new Arrival(nanos, Kind.OTHER, "");
        }
        Kind kind = kind(packet.payload(0), packet.payload(1));
        boolean handshake = kind == Kind.DTLS_HANDSHAKE && packet.payloadLength() > DTLS_MESSAGE_AT;
        String message = handshake ? Integer.toString(packet.payload(DTLS_MESSAGE_AT)) : "";
        return new Arrival(nanos, kind, message);
    }

    private static Kind kind(int first, int second) {
        return switch (first) {
            case 0 -> Kind.STUN_REQUEST;
            case 1 -> Kind.STUN_ANSWER;
            case 20 -> Kind.DTLS_FINISHED;
            case 22 -> Kind.DTLS_HANDSHAKE;
            case 23 -> Kind.DTLS_DATA;
            default -> first >= 128 && first <= 191 ? media(second) : Kind.OTHER;
        };
    }

    // RFC 5761 4: packet types 192 to 223.
    private static Kind media(int second) {
        return second >= 192 && second <= 223 ? Kind.RTCP : Kind.RTP;
    }
}
