package dev.parley.runtime.udp;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * Converts between the JDK's address objects and the two longs that hot paths carry. An IPv4
 * address is IPv4-mapped, so that {@code a.b.c.d} and {@code ::ffff:a.b.c.d} are one value.
 */
public final class IpAddress {
    private static final int ADDRESS_BYTES = 16;

    private IpAddress() {}

    public static long high(InetAddress address) {
        return address instanceof Inet6Address
                ? ByteBuffer.wrap(address.getAddress()).getLong(0)
                : DatagramBatch.IPV4_MAPPED_HIGH;
    }

    public static long low(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet6Address
                ? bytes.getLong(8)
                : DatagramBatch.IPV4_MAPPED_LOW | (bytes.getInt(0) & 0xFFFF_FFFFL);
    }

    /** Whether the two longs are an IPv4-mapped address. */
    public static boolean isIpv4(long high, long low) {
        return high == DatagramBatch.IPV4_MAPPED_HIGH
                && (low & 0xFFFF_FFFF_0000_0000L) == DatagramBatch.IPV4_MAPPED_LOW;
    }

    /** Allocates; not for each packet. */
    public static InetAddress toInetAddress(long high, long low) {
        byte[] bytes = new byte[ADDRESS_BYTES];
        ByteBuffer.wrap(bytes).putLong(high).putLong(low);
        try {
            // The JDK turns an IPv4-mapped address into an Inet4Address.
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are always an address", e);
        }
    }

    /** Allocates; not for each packet. */
    public static InetSocketAddress toSocketAddress(long high, long low, int port) {
        return new InetSocketAddress(toInetAddress(high, low), port);
    }

    /** The literal address and port, IPv6 in brackets, as logs and errors show it. */
    public static String text(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            return address.getHostString() + ":" + address.getPort();
        }
        String host = ip.getHostAddress();
        return ip instanceof Inet6Address
                ? "[" + host + "]:" + address.getPort()
                : host + ":" + address.getPort();
    }

    public static String text(long high, long low, int port) {
        return text(toSocketAddress(high, low, port));
    }
}
