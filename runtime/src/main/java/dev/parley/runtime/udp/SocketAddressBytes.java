package dev.parley.runtime.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetSocketAddress;

/**
 * Linux's socket addresses in memory, on little-endian machines. An IPv4 one is read and written as
 * one long.
 *
 * <pre>
 * sockaddr_in:  family 2 | port 2, big-endian | address 4
 * sockaddr_in6: family 2 | port 2, big-endian | flow 4 | address 16 | scope 4
 * </pre>
 */
final class SocketAddressBytes {
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int IPV4_BYTES = 16;
    static final int IPV6_BYTES = 28;

    private static final long FAMILY_AND_PORT_OF_IPV4 = 0x0200L << 48;
    private static final int ADDRESS_AT = 8;

    private SocketAddressBytes() {}

    /** The address as bind wants it. */
    static MemorySegment of(InetSocketAddress address, Arena arena) {
        boolean ipv6 = address.getAddress() instanceof Inet6Address;
        MemorySegment bytes = arena.allocate(ipv6 ? IPV6_BYTES : IPV4_BYTES, 8);
        long high = IpAddress.high(address.getAddress());
        long low = IpAddress.low(address.getAddress());
        if (ipv6) {
            writeIpv6(bytes, 0, high, low, address.getPort());
            bytes.set(JAVA_INT_UNALIGNED, 24, ((Inet6Address) address.getAddress()).getScopeId());
        } else {
            writeIpv4(bytes, 0, low, address.getPort());
        }
        return bytes;
    }

    static boolean isIpv4(MemorySegment bytes, long at) {
        return bytes.get(JAVA_SHORT, at) == AF_INET;
    }

    /** Reads family, port and address of IPv4 at once: port in bits 32 to 47, address below. */
    static long readIpv4(MemorySegment bytes, long at) {
        return Long.reverseBytes(bytes.get(JAVA_LONG_UNALIGNED, at));
    }

    static void writeIpv4(MemorySegment bytes, long at, long low, int port) {
        long value = FAMILY_AND_PORT_OF_IPV4 | ((long) port << 32) | (low & 0xFFFF_FFFFL);
        bytes.set(JAVA_LONG_UNALIGNED, at, Long.reverseBytes(value));
    }

    static int readPort(MemorySegment bytes, long at) {
        return Short.reverseBytes(bytes.get(JAVA_SHORT, at + 2)) & 0xFFFF;
    }

    static long readIpv6High(MemorySegment bytes, long at) {
        return Long.reverseBytes(bytes.get(JAVA_LONG_UNALIGNED, at + ADDRESS_AT));
    }

    static long readIpv6Low(MemorySegment bytes, long at) {
        return Long.reverseBytes(bytes.get(JAVA_LONG_UNALIGNED, at + ADDRESS_AT + 8));
    }

    static void writeIpv6(MemorySegment bytes, long at, long high, long low, int port) {
        bytes.set(JAVA_SHORT, at, (short) AF_INET6);
        bytes.set(JAVA_SHORT, at + 2, Short.reverseBytes((short) port));
        bytes.set(JAVA_INT_UNALIGNED, at + 4, 0);
        bytes.set(JAVA_LONG_UNALIGNED, at + ADDRESS_AT, Long.reverseBytes(high));
        bytes.set(JAVA_LONG_UNALIGNED, at + ADDRESS_AT + 8, Long.reverseBytes(low));
        bytes.set(JAVA_INT_UNALIGNED, at + 24, 0);
    }
}
