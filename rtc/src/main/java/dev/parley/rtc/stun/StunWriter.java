package dev.parley.rtc.stun;

import java.nio.ByteBuffer;

/**
 * Writes one STUN message, RFC 8489 5, attribute by attribute into a buffer of the caller's. Each
 * loop owns one. The order of calls is the order on the wire: {@link #integrity}, then {@link
 * #fingerprint}, come last.
 *
 * <pre>{@code
 * int length = writer.bindingSuccess(out, 0, request)
 *         .xorMappedAddress(clientHigh, clientLow, clientPort)
 *         .integrity(key).fingerprint().length();
 * }</pre>
 */
public final class StunWriter {
    /** No message written here is longer; a buffer with this much room always suffices. */
    public static final int MAX_LENGTH = 1_200;

    /** Bytes that {@link #integrity} and {@link #fingerprint} add. */
    public static final int END_LENGTH =
            StunType.ATTRIBUTE_HEADER + StunIntegrity.LENGTH + StunFingerprint.ATTRIBUTE_LENGTH;

    private static final long IPV4_MAPPED = 0xFFFFL;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private ByteBuffer out = NOTHING;
    private int start;
    private int end;

    /** Begins a Binding request with a transaction id of the caller's. */
    public StunWriter bindingRequest(
            ByteBuffer out, int offset, int transactionIdHigh, long transactionIdLow) {
        return begin(out, offset, StunType.BINDING_REQUEST, transactionIdHigh, transactionIdLow);
    }

    /** Begins a Binding indication with a transaction id of the caller's. */
    public StunWriter bindingIndication(
            ByteBuffer out, int offset, int transactionIdHigh, long transactionIdLow) {
        return begin(out, offset, StunType.BINDING_INDICATION, transactionIdHigh, transactionIdLow);
    }

    /** Begins the success response to a request. */
    public StunWriter bindingSuccess(ByteBuffer out, int offset, StunReader request) {
        return begin(
                out,
                offset,
                StunType.BINDING_SUCCESS,
                request.transactionIdHigh(),
                request.transactionIdLow());
    }

    /**
     * Begins the error response to a request, RFC 8489 14.8.
     *
     * @param code 300..699
     */
    public StunWriter bindingError(ByteBuffer out, int offset, StunReader request, int code) {
        begin(
                out,
                offset,
                StunType.BINDING_ERROR,
                request.transactionIdHigh(),
                request.transactionIdLow());
        String reason = reason(code);
        int at = attribute(StunType.ERROR_CODE, 4 + reason.length());
        out.putInt(at, ((code / 100) << 8) | (code % 100));
        putAscii(at + 4, reason);
        return this;
    }

    private StunWriter begin(ByteBuffer out, int offset, int type, int idHigh, long idLow) {
        this.out = out;
        this.start = offset;
        this.end = offset + StunType.HEADER_LENGTH;
        out.putShort(offset, (short) type);
        out.putShort(offset + 2, (short) 0);
        out.putInt(offset + 4, StunType.MAGIC_COOKIE);
        out.putInt(offset + 8, idHigh);
        out.putLong(offset + 12, idLow);
        return this;
    }

    /**
     * XOR-MAPPED-ADDRESS, RFC 8489 14.2. An IPv4-mapped address is written as IPv4: that is what
     * the client has.
     */
    public StunWriter xorMappedAddress(long addressHigh, long addressLow, int port) {
        boolean ipv4 = addressHigh == 0 && addressLow >>> 32 == IPV4_MAPPED;
        int at = attribute(StunType.XOR_MAPPED_ADDRESS, ipv4 ? 8 : 20);
        int xorPort = port ^ (StunType.MAGIC_COOKIE >>> 16);
        out.putShort(at, (short) (ipv4 ? StunType.FAMILY_IPV4 : StunType.FAMILY_IPV6));
        out.putShort(at + 2, (short) xorPort);
        if (ipv4) {
            out.putInt(at + 4, (int) addressLow ^ StunType.MAGIC_COOKIE);
        } else {
            // The cookie and the transaction id stand behind each other in the header.
            out.putLong(at + 4, addressHigh ^ out.getLong(start + 4));
            out.putLong(at + 12, addressLow ^ out.getLong(start + 12));
        }
        return this;
    }

    /** UNKNOWN-ATTRIBUTES, RFC 8489 14.9: what of the request was not understood. */
    public StunWriter unknownAttributes(StunReader request) {
        int at = attribute(StunType.UNKNOWN_ATTRIBUTES, 2 * request.unknownCount());
        for (int i = 0; i < request.unknownCount(); i++) {
            out.putShort(at + 2 * i, (short) request.unknownType(i));
        }
        return this;
    }

    /** USERNAME; in a check {@code receiverUfrag:senderUfrag}, RFC 8445 7.2.2. */
    public StunWriter username(String username) {
        putAscii(attribute(StunType.USERNAME, username.length()), username);
        return this;
    }

    public StunWriter priority(long priority) {
        out.putInt(attribute(StunType.PRIORITY, 4), (int) priority);
        return this;
    }

    public StunWriter iceControlling(long tieBreaker) {
        out.putLong(attribute(StunType.ICE_CONTROLLING, 8), tieBreaker);
        return this;
    }

    public StunWriter iceControlled(long tieBreaker) {
        out.putLong(attribute(StunType.ICE_CONTROLLED, 8), tieBreaker);
        return this;
    }

    public StunWriter useCandidate() {
        attribute(StunType.USE_CANDIDATE, 0);
        return this;
    }

    /** A DTLS datagram, draft-hancke-webrtc-sped. */
    public StunWriter dtls(byte[] packet) {
        return attribute(StunType.DTLS_IN_STUN, packet);
    }

    /** CRC-32s of DTLS datagrams that have come, draft-hancke-webrtc-sped; there may be none. */
    public StunWriter dtlsAck(int[] crcs, int count) {
        int at = attribute(StunType.DTLS_IN_STUN_ACK, 4 * count);
        for (int i = 0; i < count; i++) {
            out.putInt(at + 4 * i, crcs[i]);
        }
        return this;
    }

    /** MESSAGE-INTEGRITY over all that was written so far, RFC 8489 14.5. */
    public StunWriter integrity(StunIntegrity key) {
        int at = attribute(StunType.MESSAGE_INTEGRITY, StunIntegrity.LENGTH);
        out.put(at, key.sign(out, start, at));
        return this;
    }

    /** FINGERPRINT over all that was written so far, RFC 8489 14.7. */
    public StunWriter fingerprint() {
        int at = attribute(StunType.FINGERPRINT, 4);
        out.putInt(at, StunFingerprint.of(out, start, at - StunType.ATTRIBUTE_HEADER - start));
        return this;
    }

    /** Bytes of the message written so far; after the last attribute, its length. */
    public int length() {
        return end - start;
    }

    /** An attribute that this class has no name for, its value taken as it is. */
    public StunWriter attribute(int type, byte[] value) {
        out.put(attribute(type, value.length), value);
        return this;
    }

    /** Opens an attribute and answers where its value goes; header and padding are written. */
    private int attribute(int type, int valueLength) {
        int at = end;
        int padded = (valueLength + 3) & ~3;
        end = at + StunType.ATTRIBUTE_HEADER + padded;
        out.putShort(at, (short) type);
        out.putShort(at + 2, (short) valueLength);
        for (int i = valueLength; i < padded; i++) {
            out.put(at + StunType.ATTRIBUTE_HEADER + i, (byte) 0);
        }
        out.putShort(start + 2, (short) (end - start - StunType.HEADER_LENGTH));
        return at + StunType.ATTRIBUTE_HEADER;
    }

    private void putAscii(int at, String text) {
        for (int i = 0; i < text.length(); i++) {
            out.put(at + i, (byte) text.charAt(i));
        }
    }

    private static String reason(int code) {
        return switch (code) {
            case 400 -> "Bad Request";
            case 401 -> "Unauthenticated";
            case 420 -> "Unknown Attribute";
            case 487 -> "Role Conflict";
            default -> "Error";
        };
    }
}
