package dev.parley.runtime.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What recvmmsg and sendmmsg need beside a batch's bytes: message headers, vectors, addresses and
 * control data, allocated once and owned by the batch. Pointers that never change are written once;
 * per datagram only lengths, addresses and what the kernel overwrites.
 *
 * <pre>
 * struct mmsghdr, 64 bytes:
 *   0 msg_name       8 msg_namelen (4)   16 msg_iov     24 msg_iovlen
 *  32 msg_control   40 msg_controllen    48 msg_flags   56 msg_len (4)
 * </pre>
 */
final class MessageVectors {
    private static final int MESSAGE_BYTES = 64;
    private static final int NAME_LENGTH = 8;
    private static final int VECTOR = 16;
    private static final int VECTOR_COUNT = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_LENGTH = 40;
    private static final int MESSAGE_LENGTH = 56;

    private static final int VECTOR_BYTES = 16;
    private static final int NAME_BYTES = 32;

    private final MemorySegment received;
    private final MemorySegment receivedNames;
    private final MemorySegment receivedControls;
    private final MemorySegment sent;
    private final MemorySegment sentVectors;
    private final MemorySegment sentNames;
    private final MemorySegment sentControls;
    private final long bytesAddress;

    MessageVectors(DatagramBatch batch) {
        int capacity = batch.capacity();
        // Lives as long as this object, and so as the batch.
        Arena arena = Arena.ofAuto();
        received = arena.allocate((long) capacity * MESSAGE_BYTES, 64);
        receivedNames = arena.allocate((long) capacity * NAME_BYTES, 64);
        receivedControls = arena.allocate((long) capacity * PacketInfo.CONTROL_BYTES, 64);
        MemorySegment receivedVectors = arena.allocate((long) capacity * VECTOR_BYTES, 64);
        sent = arena.allocate((long) capacity * MESSAGE_BYTES, 64);
        sentNames = arena.allocate((long) capacity * NAME_BYTES, 64);
        sentControls = arena.allocate((long) capacity * PacketInfo.CONTROL_BYTES, 64);
        sentVectors = arena.allocate((long) capacity * VECTOR_BYTES, 64);
        bytesAddress = MemorySegment.ofBuffer(batch.bytes()).address();
        for (int i = 0; i < capacity; i++) {
            link(received, i, receivedNames, receivedVectors);
            link(sent, i, sentNames, sentVectors);
            received.set(
                    JAVA_LONG,
                    at(i, CONTROL),
                    receivedControls.address() + (long) i * PacketInfo.CONTROL_BYTES);
            long start = bytesAddress + batch.slotOffset(i) + batch.headroomBytes();
            receivedVectors.set(JAVA_LONG, (long) i * VECTOR_BYTES, start);
            // One byte more than a payload may have shows that a datagram was too long.
            receivedVectors.set(JAVA_LONG, (long) i * VECTOR_BYTES + 8, batch.payloadBytes() + 1L);
            rearm(i);
        }
    }

    private static void link(
            MemorySegment messages, int i, MemorySegment names, MemorySegment vectors) {
        messages.set(JAVA_LONG, at(i, 0), names.address() + (long) i * NAME_BYTES);
        messages.set(JAVA_LONG, at(i, VECTOR), vectors.address() + (long) i * VECTOR_BYTES);
        messages.set(JAVA_LONG, at(i, VECTOR_COUNT), 1L);
    }

    private static long at(int i, int field) {
        return (long) i * MESSAGE_BYTES + field;
    }

    /** Address of the headers that recvmmsg fills. */
    long received() {
        return received.address();
    }

    /** Address of the header that sends slot {@code i}; those of the next slots follow. */
    long sent(int i) {
        return sent.address() + at(i, 0);
    }

    int receivedLength(int i) {
        return received.get(JAVA_INT, at(i, MESSAGE_LENGTH));
    }

    /** Gives back the room that the kernel took from message {@code i}. */
    void rearm(int i) {
        received.set(JAVA_INT, at(i, NAME_LENGTH), SocketAddressBytes.IPV6_BYTES);
        received.set(JAVA_LONG, at(i, CONTROL_LENGTH), (long) PacketInfo.CONTROL_BYTES);
    }

    /** Copies the sender of message {@code i} to a slot. */
    void readPeer(int i, DatagramBatch batch, int slot) {
        long name = (long) i * NAME_BYTES;
        if (SocketAddressBytes.isIpv4(receivedNames, name)) {
            long value = SocketAddressBytes.readIpv4(receivedNames, name);
            batch.peer(
                    slot,
                    DatagramBatch.IPV4_MAPPED_HIGH,
                    DatagramBatch.IPV4_MAPPED_LOW | (value & 0xFFFF_FFFFL),
                    (int) (value >>> 32) & 0xFFFF);
        } else {
            batch.peer(
                    slot,
                    SocketAddressBytes.readIpv6High(receivedNames, name),
                    SocketAddressBytes.readIpv6Low(receivedNames, name),
                    SocketAddressBytes.readPort(receivedNames, name));
        }
    }

    /** Copies our address that message {@code i} was sent to, before {@link #rearm}. */
    void readLocal(int i, DatagramBatch batch, int slot) {
        long length = received.get(JAVA_LONG, at(i, CONTROL_LENGTH));
        PacketInfo.read(receivedControls, (long) i * PacketInfo.CONTROL_BYTES, length, batch, slot);
    }

    /** Describes the datagram of slot {@code i} to sendmmsg. */
    void prepare(DatagramBatch batch, int i, boolean ipv6) {
        long vector = (long) i * VECTOR_BYTES;
        sentVectors.set(JAVA_LONG, vector, bytesAddress + batch.start(i));
        sentVectors.set(JAVA_LONG, vector + 8, (long) batch.length(i));
        long name = (long) i * NAME_BYTES;
        // An IPv6 peer of an IPv4 socket keeps its family, for the kernel to refuse.
        if (ipv6 || !IpAddress.isIpv4(batch.addressHigh(i), batch.addressLow(i))) {
            SocketAddressBytes.writeIpv6(
                    sentNames, name, batch.addressHigh(i), batch.addressLow(i), batch.port(i));
            sent.set(JAVA_INT, at(i, NAME_LENGTH), SocketAddressBytes.IPV6_BYTES);
        } else {
            SocketAddressBytes.writeIpv4(sentNames, name, batch.addressLow(i), batch.port(i));
            sent.set(JAVA_INT, at(i, NAME_LENGTH), SocketAddressBytes.IPV4_BYTES);
        }
        prepareLocal(batch, i, ipv6);
    }

    private void prepareLocal(DatagramBatch batch, int i, boolean ipv6) {
        if ((batch.localHigh(i) | batch.localLow(i)) == 0) {
            sent.set(JAVA_LONG, at(i, CONTROL), 0L);
            sent.set(JAVA_LONG, at(i, CONTROL_LENGTH), 0L);
            return;
        }
        long control = (long) i * PacketInfo.CONTROL_BYTES;
        long length =
                PacketInfo.write(
                        sentControls, control, batch.localHigh(i), batch.localLow(i), ipv6);
        sent.set(JAVA_LONG, at(i, CONTROL), sentControls.address() + control);
        sent.set(JAVA_LONG, at(i, CONTROL_LENGTH), length);
    }
}
