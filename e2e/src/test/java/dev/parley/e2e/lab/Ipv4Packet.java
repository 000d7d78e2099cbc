package dev.parley.e2e.lab;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * View of one IPv4 packet, RFC 791, with the ports of UDP and TCP; rewriting keeps the checksums
 * right. Whatever is no whole, unfragmented IPv4 packet has protocol 0.
 */
final class Ipv4Packet {
    static final int UDP = 17;
    static final int TCP = 6;

    private static final int SOURCE = 12;
    private static final int DESTINATION = 16;
    private static final int HEADER_CHECKSUM = 10;
    private static final int UDP_CHECKSUM = 6;
    private static final int TCP_CHECKSUM = 16;
    private static final int UDP_HEADER = 8;
    private static final int TCP_OFFSET = 12;
    private static final int TCP_TEXT = 16;

    private final ByteBuffer packet;
    private final int headerLength;
    private final int protocol;

    Ipv4Packet(byte[] bytes) {
        packet = ByteBuffer.wrap(bytes);
        boolean whole = bytes.length >= 20 && bytes[0] >> 4 == 4;
        headerLength = whole ? 4 * (bytes[0] & 0x0F) : 0;
        int transport = whole && isUnfragmented() ? bytes[9] & 0xFF : 0;
        int needed = transport == TCP ? 20 : UDP_HEADER;
        protocol = headerLength >= 20 && bytes.length >= headerLength + needed ? transport : 0;
    }

    private boolean isUnfragmented() {
        return (packet.getShort(6) & 0x3FFF) == 0;
    }

    int protocol() {
        return protocol;
    }

    boolean isUdp() {
        return protocol == UDP;
    }

    boolean hasPorts() {
        return protocol == UDP || protocol == TCP;
    }

    int source() {
        return packet.getInt(SOURCE);
    }

    int destination() {
        return packet.getInt(DESTINATION);
    }

    int sourcePort() {
        return packet.getShort(headerLength) & 0xFFFF;
    }

    int destinationPort() {
        return packet.getShort(headerLength + 2) & 0xFFFF;
    }

    void source(int address, int port) {
        rewrite(SOURCE, address, headerLength, port);
    }

    void destination(int address, int port) {
        rewrite(DESTINATION, address, headerLength + 2, port);
    }

    private void rewrite(int addressAt, int address, int portAt, int port) {
        int high = packet.getShort(addressAt);
        int low = packet.getShort(addressAt + 2);
        int oldPort = packet.getShort(portAt);
        packet.putInt(addressAt, address);
        packet.putShort(portAt, (short) port);
        adjust(HEADER_CHECKSUM, high, address >>> 16);
        adjust(HEADER_CHECKSUM, low, address);
        int at = headerLength + (protocol == UDP ? UDP_CHECKSUM : TCP_CHECKSUM);
        // RFC 768: no checksum at all.
        if (protocol == UDP && packet.getShort(at) == 0) {
            return;
        }
        adjust(at, high, address >>> 16);
        adjust(at, low, address);
        adjust(at, oldPort, port);
    }

    /** RFC 1624 3, equation 3: HC' = ~(~HC + ~m + m'). */
    private void adjust(int checksumAt, int before, int after) {
        int sum = (~packet.getShort(checksumAt) & 0xFFFF) + (~before & 0xFFFF) + (after & 0xFFFF);
        sum = (sum & 0xFFFF) + (sum >>> 16);
        sum = (sum & 0xFFFF) + (sum >>> 16);
        packet.putShort(checksumAt, (short) ~sum);
    }

    int payloadOffset() {
        return headerLength + UDP_HEADER;
    }

    int payloadLength() {
        return packet.capacity() - payloadOffset();
    }

    /** A byte of a UDP payload. */
    int payload(int at) {
        return packet.get(payloadOffset() + at) & 0xFF;
    }

    /** The first bytes that a TCP segment carries, as text; empty when it carries nothing. */
    String tcpText() {
        int at = headerLength + (packet.get(headerLength + TCP_OFFSET) >> 4 & 0x0F) * 4;
        int length = Math.min(TCP_TEXT, packet.capacity() - at);
        return length <= 0
                ? ""
                : new String(packet.array(), at, length, StandardCharsets.ISO_8859_1);
    }

    /** First byte of a UDP payload, which tells what it is (RFC 7983); -1 when it is empty. */
    int firstPayloadByte() {
        return payloadLength() > 0 ? packet.get(payloadOffset()) & 0xFF : -1;
    }

    void clearUdpChecksum() {
        packet.putShort(headerLength + UDP_CHECKSUM, (short) 0);
    }
}
