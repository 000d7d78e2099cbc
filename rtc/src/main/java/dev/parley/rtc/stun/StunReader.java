package dev.parley.rtc.stun;

import java.nio.ByteBuffer;

/**
 * Read-only view of one STUN message, RFC 8489 5. Each loop owns one and re-points it per datagram,
 * so reading allocates nothing. Once {@link #wrap} has answered true no accessor can leave the
 * datagram; after false the message has no attribute.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |0 0|     STUN Message Type     |         Message Length        |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                         Magic Cookie                          |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                     Transaction ID (96 bits)                  |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |     Type                      |            Length             |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |     Value (variable), padded to a multiple of 4           ....
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Of attributes that occur twice the first counts (RFC 8489 14). Those behind MESSAGE-INTEGRITY
 * are not seen, but for FINGERPRINT (RFC 8489 14.5).
 */
public final class StunReader {
    /** Answer of offset and length accessors for what is not in the message. */
    public static final int ABSENT = -1;

    /** Unknown comprehension-required attributes that are remembered; more are only counted. */
    static final int MAX_UNKNOWN = 8;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(StunType.HEADER_LENGTH);

    private ByteBuffer datagram = NOTHING;
    private int start;
    private int length;

    // Offsets of attribute values, 0 when absent: no value lies in front of the header.
    private int usernameAt;
    private int integrityAt;
    private int fingerprintAt;
    private int priorityAt;
    private int iceControllingAt;
    private int iceControlledAt;
    private int useCandidateAt;
    private int mappedAddressAt;
    private int xorMappedAddressAt;
    private int errorCodeAt;
    private int unknownAttributesAt;
    private int softwareAt;
    private int realmAt;
    private int nonceAt;
    private int dtlsAt;
    private int dtlsAckAt;
    private final int[] unknownTypes = new int[MAX_UNKNOWN];
    private int unknownCount;

    /**
     * Points at a datagram; answers false, leaving no attribute visible, unless the bytes are one
     * whole STUN message.
     *
     * @param buffer big-endian; only absolute reads, position and limit stay
     */
    public boolean wrap(ByteBuffer buffer, int offset, int length) {
        forget();
        if (length < StunType.HEADER_LENGTH
                || (buffer.get(offset) & 0xC0) != 0
                || buffer.getInt(offset + 4) != StunType.MAGIC_COOKIE
                || (buffer.getShort(offset + 2) & 0xFFFF) != length - StunType.HEADER_LENGTH
                || (length & 3) != 0) {
            return false;
        }
        this.datagram = buffer;
        this.start = offset;
        this.length = length;
        if (indexAttributes()) {
            return true;
        }
        forget();
        return false;
    }

    private void forget() {
        datagram = NOTHING;
        start = 0;
        length = StunType.HEADER_LENGTH;
        usernameAt = 0;
        integrityAt = 0;
        fingerprintAt = 0;
        priorityAt = 0;
        iceControllingAt = 0;
        iceControlledAt = 0;
        useCandidateAt = 0;
        mappedAddressAt = 0;
        xorMappedAddressAt = 0;
        errorCodeAt = 0;
        unknownAttributesAt = 0;
        softwareAt = 0;
        realmAt = 0;
        nonceAt = 0;
        dtlsAt = 0;
        dtlsAckAt = 0;
        unknownCount = 0;
    }

    private boolean indexAttributes() {
        int end = start + length;
        int at = start + StunType.HEADER_LENGTH;
        while (at < end) {
            int type = datagram.getShort(at) & 0xFFFF;
            int valueLength = datagram.getShort(at + 2) & 0xFFFF;
            int valueAt = at + StunType.ATTRIBUTE_HEADER;
            // The message is a multiple of 4 long, so a value that fits leaves room to pad it.
            if (valueLength > end - valueAt) {
                return false;
            }
            // RFC 8489 14.5: "agents MUST ignore all other attributes that follow
            // MESSAGE-INTEGRITY"; FINGERPRINT ends the message (14.7).
            boolean seen = integrityAt == 0 && fingerprintAt == 0;
            if ((seen || (type == StunType.FINGERPRINT && fingerprintAt == 0))
                    && !index(type, valueAt, valueLength)) {
                return false;
            }
            at = valueAt + ((valueLength + 3) & ~3);
        }
        return true;
    }

    /** Answers false when a known attribute has a length that its type forbids. */
    private boolean index(int type, int at, int valueLength) {
        switch (type) {
            case StunType.USERNAME -> usernameAt = first(usernameAt, at);
            case StunType.MESSAGE_INTEGRITY -> {
                integrityAt = first(integrityAt, at);
                return valueLength == StunIntegrity.LENGTH;
            }
            case StunType.FINGERPRINT -> {
                fingerprintAt = first(fingerprintAt, at);
                return valueLength == 4;
            }
            case StunType.PRIORITY -> {
                priorityAt = first(priorityAt, at);
                return valueLength == 4;
            }
            case StunType.ICE_CONTROLLING -> {
                iceControllingAt = first(iceControllingAt, at);
                return valueLength == 8;
            }
            case StunType.ICE_CONTROLLED -> {
                iceControlledAt = first(iceControlledAt, at);
                return valueLength == 8;
            }
            case StunType.USE_CANDIDATE -> useCandidateAt = first(useCandidateAt, at);
            case StunType.MAPPED_ADDRESS -> {
                mappedAddressAt = first(mappedAddressAt, at);
                return isAddress(at, valueLength);
            }
            case StunType.XOR_MAPPED_ADDRESS -> {
                xorMappedAddressAt = first(xorMappedAddressAt, at);
                return isAddress(at, valueLength);
            }
            case StunType.ERROR_CODE -> {
                errorCodeAt = first(errorCodeAt, at);
                return valueLength >= 4;
            }
            case StunType.UNKNOWN_ATTRIBUTES ->
                    unknownAttributesAt = first(unknownAttributesAt, at);
            case StunType.SOFTWARE -> softwareAt = first(softwareAt, at);
            case StunType.REALM -> realmAt = first(realmAt, at);
            case StunType.NONCE -> nonceAt = first(nonceAt, at);
            case StunType.DTLS_IN_STUN -> dtlsAt = first(dtlsAt, at);
            case StunType.DTLS_IN_STUN_ACK -> dtlsAckAt = first(dtlsAckAt, at);
            case StunType.MESSAGE_INTEGRITY_SHA256 -> {
                // Known and unused: whoever sends it beside MESSAGE-INTEGRITY is understood.
            }
            default -> noteUnknown(type);
        }
        return true;
    }

    private static int first(int indexed, int at) {
        return indexed == 0 ? at : indexed;
    }

    private boolean isAddress(int at, int valueLength) {
        if (valueLength < 8) {
            return false;
        }
        int family = datagram.get(at + 1) & 0xFF;
        return (family == StunType.FAMILY_IPV4 && valueLength == 8)
                || (family == StunType.FAMILY_IPV6 && valueLength == 20);
    }

    private void noteUnknown(int type) {
        if (type < StunType.COMPREHENSION_OPTIONAL && unknownCount < MAX_UNKNOWN) {
            unknownTypes[unknownCount++] = type;
        }
    }

    /** The buffer that the offsets of this view refer to. */
    public ByteBuffer buffer() {
        return datagram;
    }

    /** Where the message begins in {@link #buffer}. */
    public int offset() {
        return start;
    }

    /** Bytes of the message, header included. */
    public int length() {
        return length;
    }

    /** Class and method as they stand in the header. */
    public int type() {
        return datagram.getShort(start) & 0xFFFF;
    }

    public boolean isBindingRequest() {
        return type() == StunType.BINDING_REQUEST;
    }

    public boolean isBindingIndication() {
        return type() == StunType.BINDING_INDICATION;
    }

    public boolean isBindingSuccess() {
        return type() == StunType.BINDING_SUCCESS;
    }

    public boolean isBindingError() {
        return type() == StunType.BINDING_ERROR;
    }

    /** First 4 bytes of the transaction id. */
    public int transactionIdHigh() {
        return datagram.getInt(start + 8);
    }

    /** Last 8 bytes of the transaction id. */
    public long transactionIdLow() {
        return datagram.getLong(start + 12);
    }

    public boolean hasUsername() {
        return usernameAt != 0;
    }

    /** Where USERNAME begins in {@link #buffer}, or {@link #ABSENT}. */
    public int usernameOffset() {
        return offsetOf(usernameAt);
    }

    /** Bytes of USERNAME, or {@link #ABSENT}. */
    public int usernameLength() {
        return lengthOf(usernameAt);
    }

    /**
     * Bytes of the part of USERNAME in front of the first colon, which in a check is the receiver's
     * ufrag (RFC 8445 7.2.2); it begins at {@link #usernameOffset}. {@link #ABSENT} without a
     * USERNAME or without a colon in it.
     */
    public int receiverUfragLength() {
        for (int i = 0; i < usernameLength(); i++) {
            if (datagram.get(usernameAt + i) == ':') {
                return i;
            }
        }
        return ABSENT;
    }

    /** Whether USERNAME is exactly these bytes. */
    public boolean usernameEquals(byte[] expected) {
        if (usernameLength() != expected.length) {
            return false;
        }
        for (int i = 0; i < expected.length; i++) {
            if (datagram.get(usernameAt + i) != expected[i]) {
                return false;
            }
        }
        return true;
    }

    public boolean hasIntegrity() {
        return integrityAt != 0;
    }

    /** Where the value of MESSAGE-INTEGRITY begins, or {@link #ABSENT}. */
    int integrityOffset() {
        return offsetOf(integrityAt);
    }

    public boolean hasFingerprint() {
        return fingerprintAt != 0;
    }

    /** Whether FINGERPRINT ends the message and fits it, RFC 8489 14.7. */
    public boolean hasValidFingerprint() {
        return fingerprintAt != 0
                && fingerprintAt + 4 == start + length
                && datagram.getInt(fingerprintAt)
                        == StunFingerprint.of(
                                datagram, start, length - StunFingerprint.ATTRIBUTE_LENGTH);
    }

    public boolean hasPriority() {
        return priorityAt != 0;
    }

    /** PRIORITY as an unsigned number; 0 when absent. */
    public long priority() {
        return priorityAt == 0 ? 0 : datagram.getInt(priorityAt) & 0xFFFF_FFFFL;
    }

    public boolean hasUseCandidate() {
        return useCandidateAt != 0;
    }

    public boolean hasIceControlling() {
        return iceControllingAt != 0;
    }

    public boolean hasIceControlled() {
        return iceControlledAt != 0;
    }

    /**
     * The tie-breaker of ICE-CONTROLLING, or else of ICE-CONTROLLED, an unsigned number; 0 without
     * both.
     */
    public long tieBreaker() {
        int at = iceControllingAt != 0 ? iceControllingAt : iceControlledAt;
        return at == 0 ? 0 : datagram.getLong(at);
    }

    public boolean hasXorMappedAddress() {
        return xorMappedAddressAt != 0;
    }

    /** High 8 bytes of XOR-MAPPED-ADDRESS, RFC 8489 14.2; 0 when absent. */
    public long xorMappedAddressHigh() {
        if (xorMappedAddressAt == 0 || isIpv4(xorMappedAddressAt)) {
            return 0;
        }
        long cookieAndId =
                ((long) StunType.MAGIC_COOKIE << 32) | (transactionIdHigh() & 0xFFFF_FFFFL);
        return datagram.getLong(xorMappedAddressAt + 4) ^ cookieAndId;
    }

    /** Low 8 bytes of XOR-MAPPED-ADDRESS, an IPv4 address being IPv4-mapped; 0 when absent. */
    public long xorMappedAddressLow() {
        if (xorMappedAddressAt == 0) {
            return 0;
        }
        if (isIpv4(xorMappedAddressAt)) {
            int address = datagram.getInt(xorMappedAddressAt + 4) ^ StunType.MAGIC_COOKIE;
            return 0xFFFF_0000_0000L | (address & 0xFFFF_FFFFL);
        }
        return datagram.getLong(xorMappedAddressAt + 12) ^ transactionIdLow();
    }

    /** Port of XOR-MAPPED-ADDRESS; 0 when absent. */
    public int xorMappedPort() {
        return xorMappedAddressAt == 0
                ? 0
                : (datagram.getShort(xorMappedAddressAt + 2) ^ (StunType.MAGIC_COOKIE >>> 16))
                        & 0xFFFF;
    }

    private boolean isIpv4(int addressAt) {
        return datagram.get(addressAt + 1) == StunType.FAMILY_IPV4;
    }

    /** The number of ERROR-CODE, 300..699, or {@link #ABSENT}. */
    public int errorCode() {
        return errorCodeAt == 0
                ? ABSENT
                : (datagram.get(errorCodeAt + 2) & 7) * 100
                        + (datagram.get(errorCodeAt + 3) & 0xFF);
    }

    /** Types listed in UNKNOWN-ATTRIBUTES. */
    public int unknownAttributesCount() {
        return unknownAttributesAt == 0 ? 0 : lengthOf(unknownAttributesAt) / 2;
    }

    /** Type at an index below {@link #unknownAttributesCount}. */
    public int unknownAttribute(int index) {
        return datagram.getShort(unknownAttributesAt + 2 * index) & 0xFFFF;
    }

    /**
     * Comprehension-required attributes of this message that this build does not know; beyond 8
     * they are not counted on.
     */
    public int unknownCount() {
        return unknownCount;
    }

    /** Type of an unknown attribute, at an index below {@link #unknownCount}. */
    public int unknownType(int index) {
        return unknownTypes[index];
    }

    public boolean hasDtls() {
        return dtlsAt != 0;
    }

    /** Where the DTLS datagram in the message begins in {@link #buffer}, or {@link #ABSENT}. */
    public int dtlsOffset() {
        return offsetOf(dtlsAt);
    }

    /** Bytes of the DTLS datagram in the message, which may be 0; or {@link #ABSENT}. */
    public int dtlsLength() {
        return lengthOf(dtlsAt);
    }

    public boolean hasDtlsAck() {
        return dtlsAckAt != 0;
    }

    /** DTLS datagrams that the message acknowledges; 0 when it says nothing of any. */
    public int dtlsAckCount() {
        return dtlsAckAt == 0 ? 0 : lengthOf(dtlsAckAt) / 4;
    }

    /** CRC-32 of an acknowledged datagram, at an index below {@link #dtlsAckCount}. */
    public int dtlsAck(int index) {
        return datagram.getInt(dtlsAckAt + 4 * index);
    }

    int softwareOffset() {
        return offsetOf(softwareAt);
    }

    int softwareLength() {
        return lengthOf(softwareAt);
    }

    int realmOffset() {
        return offsetOf(realmAt);
    }

    int realmLength() {
        return lengthOf(realmAt);
    }

    int nonceOffset() {
        return offsetOf(nonceAt);
    }

    int nonceLength() {
        return lengthOf(nonceAt);
    }

    private static int offsetOf(int valueAt) {
        return valueAt == 0 ? ABSENT : valueAt;
    }

    /** The attribute's own length field, checked by {@link #wrap}. */
    private int lengthOf(int valueAt) {
        return valueAt == 0 ? ABSENT : datagram.getShort(valueAt - 2) & 0xFFFF;
    }
}
