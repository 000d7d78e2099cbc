package dev.parley.runtime.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * The control message that tells, for a socket bound to a wildcard, which of our addresses a
 * datagram was sent to, and from which one to send: IP_PKTINFO and IPV6_PKTINFO.
 *
 * <pre>
 * struct cmsghdr: length 8 | level 4 | type 4, then
 *   in_pktinfo:  interface 4 | our address 4 | header's destination 4
 *   in6_pktinfo: address 16 | interface 4
 * </pre>
 */
final class PacketInfo {
    /** Room for the one control message that we ask for, and some to spare. */
    static final int CONTROL_BYTES = 64;

    static final int IPPROTO_IP = 0;
    static final int IPPROTO_IPV6 = 41;
    static final int IP_PKTINFO = 8;
    static final int IPV6_RECVPKTINFO = 49;
    static final int IPV6_PKTINFO = 50;

    private static final int HEADER = 16;
    private static final int LEVEL = 8;
    private static final int TYPE = 12;
    private static final int IPV4_OUR_ADDRESS = HEADER + 4;
    private static final int IPV4_LENGTH = HEADER + 12;
    private static final int IPV6_LENGTH = HEADER + 20;

    private PacketInfo() {}

    /** Sets the slot's local address, to 0 when the control data do not tell it. */
    static void read(MemorySegment controls, long at, long length, DatagramBatch batch, int slot) {
        long offset = 0;
        while (offset + HEADER <= length) {
            long messageLength = controls.get(JAVA_LONG, at + offset);
            if (messageLength < HEADER || offset + messageLength > length) {
                break;
            }
            if (readOne(controls, at + offset, messageLength, batch, slot)) {
                return;
            }
            offset += (messageLength + 7) & ~7L;
        }
        batch.local(slot, 0, 0);
    }

    private static boolean readOne(
            MemorySegment controls, long at, long length, DatagramBatch batch, int slot) {
        int level = controls.get(JAVA_INT, at + LEVEL);
        int type = controls.get(JAVA_INT, at + TYPE);
        if (level == IPPROTO_IP && type == IP_PKTINFO && length >= IPV4_LENGTH) {
            int address =
                    Integer.reverseBytes(controls.get(JAVA_INT_UNALIGNED, at + IPV4_OUR_ADDRESS));
            batch.local(
                    slot,
                    DatagramBatch.IPV4_MAPPED_HIGH,
                    DatagramBatch.IPV4_MAPPED_LOW | (address & 0xFFFF_FFFFL));
            return true;
        }
        if (level == IPPROTO_IPV6 && type == IPV6_PKTINFO && length >= IPV6_LENGTH) {
            batch.local(
                    slot,
                    Long.reverseBytes(controls.get(JAVA_LONG, at + HEADER)),
                    Long.reverseBytes(controls.get(JAVA_LONG, at + HEADER + 8)));
            return true;
        }
        return false;
    }

    /** Writes the message that names the address to send from; answers its length. */
    static long write(MemorySegment controls, long at, long high, long low, boolean ipv6) {
        long length = ipv6 ? IPV6_LENGTH : IPV4_LENGTH;
        controls.set(JAVA_LONG, at, length);
        controls.set(JAVA_INT, at + LEVEL, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP);
        controls.set(JAVA_INT, at + TYPE, ipv6 ? IPV6_PKTINFO : IP_PKTINFO);
        if (ipv6) {
            controls.set(JAVA_LONG, at + HEADER, Long.reverseBytes(high));
            controls.set(JAVA_LONG, at + HEADER + 8, Long.reverseBytes(low));
            controls.set(JAVA_INT, at + HEADER + 16, 0);
        } else {
            controls.set(JAVA_INT, at + HEADER, 0);
            controls.set(JAVA_INT, at + IPV4_OUR_ADDRESS, Integer.reverseBytes((int) low));
            controls.set(JAVA_INT, at + HEADER + 8, 0);
        }
        // The kernel wants the whole aligned message counted.
        return (length + 7) & ~7L;
    }
}
