package dev.parley.rtc.route;

import java.nio.ByteBuffer;

/**
 * The header between relay and transceiver in both directions, a view that the packet loop owning
 * it re-points per datagram. Neither wrapping nor writing allocates.
 *
 * <p>Cloudflare's Simple Proxy Protocol for UDP, big-endian. Addresses are IPv6, IPv4 being
 * IPv4-mapped.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-------------------------------+-------------------------------+
 * |        magic 0x56EC           |                               |
 * +-------------------------------+   client address (16 bytes)   |
 * |                               +-------------------------------+
 * |                               |                               |
 * +-------------------------------+    proxy address (16 bytes)   |
 * |                               +-------------------------------+
 * |                               |          client port          |
 * +-------------------------------+-------------------------------+
 * |          proxy port           |           payload ...         |
 * +-------------------------------+-------------------------------+
 * </pre>
 */
public final class ClientHeader {
    /** Bytes of the header. */
    public static final int LENGTH = 38;

    static final short MAGIC = 0x56EC;

    private static final int CLIENT_ADDRESS_AT = 2;
    private static final int PROXY_ADDRESS_AT = 18;
    private static final int CLIENT_PORT_AT = 34;
    private static final int PROXY_PORT_AT = 36;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private ByteBuffer datagram = NOTHING;
    private int start;
    private int length;

    /**
     * Writes a header; the payload belongs behind it, at {@code offset + LENGTH}.
     *
     * @param into big-endian, with room for {@link #LENGTH} bytes at the offset
     * @param clientHigh high 8 bytes of the client's address, IPv4 as IPv4-mapped
     * @param proxyHigh high 8 bytes of the public address that the client used
     */
    public static void write(
            ByteBuffer into,
            int offset,
            long clientHigh,
            long clientLow,
            int clientPort,
            long proxyHigh,
            long proxyLow,
            int proxyPort) {
        into.putShort(offset, MAGIC);
        into.putLong(offset + CLIENT_ADDRESS_AT, clientHigh);
        into.putLong(offset + CLIENT_ADDRESS_AT + 8, clientLow);
        into.putLong(offset + PROXY_ADDRESS_AT, proxyHigh);
        into.putLong(offset + PROXY_ADDRESS_AT + 8, proxyLow);
        into.putShort(offset + CLIENT_PORT_AT, (short) clientPort);
        into.putShort(offset + PROXY_PORT_AT, (short) proxyPort);
    }

    /**
     * Points at a datagram; answers false unless it begins with a header. A header without payload
     * is one.
     */
    public boolean wrap(ByteBuffer buffer, int offset, int length) {
        if (length < LENGTH || buffer.getShort(offset) != MAGIC) {
            return false;
        }
        this.datagram = buffer;
        this.start = offset;
        this.length = length;
        return true;
    }

    public long clientHigh() {
        return datagram.getLong(start + CLIENT_ADDRESS_AT);
    }

    public long clientLow() {
        return datagram.getLong(start + CLIENT_ADDRESS_AT + 8);
    }

    public int clientPort() {
        return datagram.getShort(start + CLIENT_PORT_AT) & 0xFFFF;
    }

    public long proxyHigh() {
        return datagram.getLong(start + PROXY_ADDRESS_AT);
    }

    public long proxyLow() {
        return datagram.getLong(start + PROXY_ADDRESS_AT + 8);
    }

    public int proxyPort() {
        return datagram.getShort(start + PROXY_PORT_AT) & 0xFFFF;
    }

    /** Where the datagram behind the header begins in the wrapped buffer. */
    public int payloadOffset() {
        return start + LENGTH;
    }

    /** Bytes behind the header, 0 or more. */
    public int payloadLength() {
        return length - LENGTH;
    }
}
