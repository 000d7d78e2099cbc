package dev.parley.rtc.route;

import java.nio.ByteBuffer;

/**
 * A packet between the relays of two clusters, a view that the packet loop owning it re-points per
 * datagram. It holds the keys; opening and sealing allocate nothing and throw nothing.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +---------------------------------------------------------------+
 * |          tag (8 bytes): SipHash-2-4 of all that follows        |
 * +-------+-------+-------+-------+-------------------------------+
 * | ver 1 | keyId | kind  |family |       sender's cluster        |
 * +-------+-------+-------+-------+-------------------------------+
 * |      receiver's cluster       |      transceiver's port       |
 * +-------------------------------+-------------------------------+
 * |               the sender's gate, 0 for unknown                |
 * +---------------------------------------------------------------+
 * |                      the receiver's gate                      |
 * +---------------------------------------------------------------+
 * |            sender: random, made when it started               |
 * +---------------------------------------------------------------+
 * |            when it was sent: seconds since 1970               |
 * +---------------------------------------------------------------+
 * |            sequence number of the sender's packets            |
 * +---------------------------------------------------------------+
 * |      transceiver's address: 4 or 16 bytes by family 4 or 6    |
 * +---------------------------------------------------------------+
 * |      client header (38 bytes), the client's datagram ...      |
 * +---------------------------------------------------------------+
 * </pre>
 *
 * <p>A gate is one worker of a relay, named by a number that is made of its address on the cluster
 * map. So a packet is good at one place alone, and says itself where its sender is: neither is left
 * to addresses of IP, which anybody can write.
 *
 * <p>Probes and their answers have family 0, no address, and 8 bytes of the asker's own in place of
 * the client header. The transceiver stands in every packet, so neither relay needs to remember
 * anything to forward it: of the two each is recovered from the other.
 */
public final class LegPacket {
    /** Most bytes in front of the client header. */
    public static final int MAX_HEADER = 52;

    /** Bytes of a probe and of its answer. */
    public static final int PROBE_LENGTH = 44;

    private static final int VERSION = 1;
    private static final int TAG_LENGTH = 8;
    private static final int FIXED_LENGTH = 36;
    private static final int FAMILY_NONE = 0;
    private static final int FAMILY_IPV4 = 4;
    private static final int FAMILY_IPV6 = 6;
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    private static final int VERSION_AT = 8;
    private static final int KIND_AT = 9;
    private static final int FROM_CLUSTER_AT = 10;
    private static final int TO_CLUSTER_AT = 12;
    private static final int PORT_AT = 14;
    private static final int FROM_GATE_AT = 16;
    private static final int TO_GATE_AT = 20;
    private static final int SENDER_AT = 24;
    private static final int SECONDS_AT = 28;
    private static final int SEQUENCE_AT = 32;
    private static final int ADDRESS_AT = 36;
    private static final long IPV4_MAPPED = 0xFFFFL;
    private static final LegKind[] KINDS = LegKind.values();
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SipHash[] hashes = new SipHash[RouteKeys.KEY_IDS];
    private final boolean[] known = new boolean[RouteKeys.KEY_IDS];
    private final int keyId;
    private final int ownCluster;
    private final int sender;
    private int ownGate;
    private int toCluster;
    private int toGate;
    private ByteBuffer datagram = NOTHING;
    private int start;
    private int length;
    private LegKind kind = LegKind.PROBE;

    /**
     * A view with the keys of one sender.
     *
     * @param keys that open; two while keys rotate
     * @param keyId of the one that seals
     * @param ownCluster cluster of this relay
     * @param sender random number of this sender since it started
     * @throws IllegalArgumentException when there is no such key
     */
    public LegPacket(RouteKeys keys, int keyId, int ownCluster, int sender) {
        if (!keys.has(keyId)) {
            throw new IllegalArgumentException("no key with id " + keyId);
        }
        SipHash own = new SipHash(keys.key(keyId));
        for (int id = 0; id < RouteKeys.KEY_IDS; id++) {
            known[id] = keys.has(id);
            hashes[id] = known[id] ? new SipHash(keys.key(id)) : own;
        }
        this.keyId = keyId;
        this.ownCluster = ownCluster;
        this.sender = sender;
    }

    /** Says which gate what is sealed from now on comes from; 0 for none that the map has. */
    public void ownGate(int gate) {
        ownGate = gate;
    }

    /** Says for whom what is sealed next is. */
    public void towards(int cluster, int gate) {
        toCluster = cluster;
        toGate = gate;
    }

    /** Points at a datagram; unless the answer is OPENED nothing of it may be read. */
    public LegVerdict open(ByteBuffer buffer, int offset, int datagramLength) {
        if (datagramLength < FIXED_LENGTH || (buffer.get(offset + VERSION_AT) >> 4) != VERSION) {
            return LegVerdict.MALFORMED;
        }
        int kindNumber = (buffer.get(offset + KIND_AT) >> 4) & 0x0F;
        int family = buffer.get(offset + KIND_AT) & 0x0F;
        if (kindNumber >= KINDS.length
                || !isWhole(KINDS[kindNumber], family, datagramLength - FIXED_LENGTH)) {
            return LegVerdict.MALFORMED;
        }
        int id = buffer.get(offset + VERSION_AT) & 0x0F;
        if (!known[id]) {
            return LegVerdict.UNKNOWN_KEY;
        }
        long tag = hashes[id].of(buffer, offset + TAG_LENGTH, datagramLength - TAG_LENGTH);
        if (tag != buffer.getLong(offset)) {
            return LegVerdict.FORGED;
        }
        this.datagram = buffer;
        this.start = offset;
        this.length = datagramLength;
        this.kind = KINDS[kindNumber];
        return LegVerdict.OPENED;
    }

    private static boolean isWhole(LegKind kind, int family, int rest) {
        return switch (kind) {
            case PROBE, ANSWER -> family == FAMILY_NONE && rest == PROBE_LENGTH - FIXED_LENGTH;
            // A client header with nothing behind it is no datagram.
            case UP, DOWN, UP_UNCACHED, DOWN_BY_MAP ->
                    switch (family) {
                        case FAMILY_IPV4 -> rest > IPV4_BYTES + ClientHeader.LENGTH;
                        case FAMILY_IPV6 -> rest > IPV6_BYTES + ClientHeader.LENGTH;
                        default -> false;
                    };
        };
    }

    public LegKind kind() {
        return kind;
    }

    /** Cluster of whoever sent it. */
    public int fromCluster() {
        return datagram.getShort(start + FROM_CLUSTER_AT) & 0xFFFF;
    }

    /** Cluster that it is meant for. */
    public int toCluster() {
        return datagram.getShort(start + TO_CLUSTER_AT) & 0xFFFF;
    }

    /** Gate of whoever sent it; 0 when it is on no map. */
    public int fromGate() {
        return datagram.getInt(start + FROM_GATE_AT);
    }

    /** Gate that it is meant for. */
    public int toGate() {
        return datagram.getInt(start + TO_GATE_AT);
    }

    /** Random number of its sender. */
    public int sender() {
        return datagram.getInt(start + SENDER_AT);
    }

    /** Seconds since 1970, modulo 2^32. */
    public int seconds() {
        return datagram.getInt(start + SECONDS_AT);
    }

    /** Its number among its sender's packets, modulo 2^32. */
    public int sequence() {
        return datagram.getInt(start + SEQUENCE_AT);
    }

    private boolean isIpv4() {
        return (datagram.get(start + KIND_AT) & 0x0F) == FAMILY_IPV4;
    }

    /** High 8 bytes of the transceiver's address, IPv4 as IPv4-mapped. */
    public long transceiverHigh() {
        return isIpv4() ? 0 : datagram.getLong(start + ADDRESS_AT);
    }

    public long transceiverLow() {
        return isIpv4()
                ? IPV4_MAPPED << 32 | (datagram.getInt(start + ADDRESS_AT) & 0xFFFF_FFFFL)
                : datagram.getLong(start + ADDRESS_AT + 8);
    }

    public int transceiverPort() {
        return datagram.getShort(start + PORT_AT) & 0xFFFF;
    }

    /** The 8 bytes of a probe's asker. */
    public long nonce() {
        return datagram.getLong(start + FIXED_LENGTH);
    }

    /** Where the client header begins. */
    public int carriedOffset() {
        return start + FIXED_LENGTH + (isIpv4() ? IPV4_BYTES : IPV6_BYTES);
    }

    /** Bytes of the client header and what follows. */
    public int carriedLength() {
        return start + length - carriedOffset();
    }

    /**
     * When a packet is sealed, and which of the sender's it is.
     *
     * @param nowSeconds of the wall clock, low 32 bits
     * @param number sequence number, which rises by one with each packet
     */
    public static long stamp(int nowSeconds, int number) {
        return (long) nowSeconds << 32 | Integer.toUnsignedLong(number);
    }

    /**
     * Puts a header in front of a client header and seals both with what follows, for whom {@link
     * #towards} has said.
     *
     * @param offset where the client header begins; {@link #MAX_HEADER} bytes in front are free
     * @param carriedLength bytes of the client header and what follows
     * @param transceiverHigh high 8 bytes of the transceiver's address, IPv4 as IPv4-mapped
     * @param stamp of {@link #stamp}
     * @return bytes that were put in front
     */
    public int seal(
            ByteBuffer into,
            int offset,
            int carriedLength,
            LegKind newKind,
            long transceiverHigh,
            long transceiverLow,
            int transceiverPort,
            long stamp) {
        boolean ipv4 = transceiverHigh == 0 && transceiverLow >>> 32 == IPV4_MAPPED;
        int headerLength = FIXED_LENGTH + (ipv4 ? IPV4_BYTES : IPV6_BYTES);
        int at = offset - headerLength;
        if (ipv4) {
            into.putInt(at + ADDRESS_AT, (int) transceiverLow);
        } else {
            into.putLong(at + ADDRESS_AT, transceiverHigh);
            into.putLong(at + ADDRESS_AT + 8, transceiverLow);
        }
        into.putShort(at + PORT_AT, (short) transceiverPort);
        finish(
                into,
                at,
                headerLength + carriedLength,
                newKind.ordinal() << 4 | (ipv4 ? FAMILY_IPV4 : FAMILY_IPV6),
                stamp);
        return headerLength;
    }

    /**
     * Writes and seals a probe or its answer, {@link #PROBE_LENGTH} bytes, for whom {@link
     * #towards} has said.
     *
     * @param nonce 8 bytes of the asker
     * @param stamp of {@link #stamp}
     */
    public void sealProbe(ByteBuffer into, int offset, LegKind newKind, long nonce, long stamp) {
        into.putShort(offset + PORT_AT, (short) 0);
        into.putLong(offset + FIXED_LENGTH, nonce);
        finish(into, offset, PROBE_LENGTH, newKind.ordinal() << 4 | FAMILY_NONE, stamp);
    }

    private void finish(ByteBuffer into, int at, int totalLength, int kindAndFamily, long stamp) {
        into.put(at + VERSION_AT, (byte) (VERSION << 4 | keyId));
        into.put(at + KIND_AT, (byte) kindAndFamily);
        into.putShort(at + FROM_CLUSTER_AT, (short) ownCluster);
        into.putShort(at + TO_CLUSTER_AT, (short) toCluster);
        into.putInt(at + FROM_GATE_AT, ownGate);
        into.putInt(at + TO_GATE_AT, toGate);
        into.putInt(at + SENDER_AT, sender);
        into.putInt(at + SECONDS_AT, (int) (stamp >>> 32));
        into.putInt(at + SEQUENCE_AT, (int) stamp);
        into.putLong(at, hashes[keyId].of(into, at + TAG_LENGTH, totalLength - TAG_LENGTH));
    }
}
