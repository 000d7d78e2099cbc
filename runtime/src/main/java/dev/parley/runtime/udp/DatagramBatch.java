package dev.parley.runtime.udp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of datagram slots in one direct buffer, re-used turn after turn by the one thread
 * that owns it. Each slot has headroom in front, so a header can be written before a received
 * payload without moving it. Addresses are primitives: 16 bytes as two longs, IPv4 as IPv4-mapped
 * IPv6, so that {@code a.b.c.d} and {@code ::ffff:a.b.c.d} are one value.
 */
public final class DatagramBatch {
    /** High half of every IPv4-mapped address. */
    public static final long IPV4_MAPPED_HIGH = 0L;

    /** Low half of {@code ::ffff:0.0.0.0}; an IPv4 address is OR-ed into the low 32 bits. */
    public static final long IPV4_MAPPED_LOW = 0x0000_FFFF_0000_0000L;

    private static final int CACHE_LINE = 64;

    private final int capacity;
    private final int headroomBytes;
    private final int payloadBytes;
    private final int slotBytes;
    private final ByteBuffer bytes;
    private final ByteBuffer view;
    private final int[] starts;
    private final int[] lengths;
    private final long[] addressHighs;
    private final long[] addressLows;
    private final int[] ports;
    private final long[] localHighs;
    private final long[] localLows;
    private @Nullable MessageVectors vectors;

    /**
     * A batch of empty slots.
     *
     * @param capacity slots
     * @param headroomBytes free bytes in front of each received payload
     * @param payloadBytes longest payload that a slot takes; a longer datagram is counted as
     *     truncated and not delivered
     */
    public DatagramBatch(int capacity, int headroomBytes, int payloadBytes) {
        this.capacity = capacity;
        this.headroomBytes = headroomBytes;
        this.payloadBytes = payloadBytes;
        // One spare byte tells a datagram that fits exactly from one that was truncated; slots
        // start cache-line aligned.
        this.slotBytes = (headroomBytes + payloadBytes + CACHE_LINE) & -CACHE_LINE;
        this.bytes =
                ByteBuffer.allocateDirect(capacity * slotBytes + CACHE_LINE)
                        .alignedSlice(CACHE_LINE);
        this.view = bytes.duplicate();
        this.starts = new int[capacity];
        this.lengths = new int[capacity];
        this.addressHighs = new long[capacity];
        this.addressLows = new long[capacity];
        this.ports = new int[capacity];
        this.localHighs = new long[capacity];
        this.localLows = new long[capacity];
    }

    public int capacity() {
        return capacity;
    }

    /**
     * The buffer that holds every slot, big-endian; read and written with absolute offsets only.
     */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Offset in {@link #bytes} where slot {@code i} begins, its headroom included. */
    public int slotOffset(int i) {
        return i * slotBytes;
    }

    public int headroomBytes() {
        return headroomBytes;
    }

    /** Longest payload that a slot takes. */
    public int payloadBytes() {
        return payloadBytes;
    }

    /** Offset in {@link #bytes} of the datagram in slot {@code i}. */
    public int start(int i) {
        return starts[i];
    }

    /** Length in bytes of the datagram in slot {@code i}. */
    public int length(int i) {
        return lengths[i];
    }

    /**
     * Says where in {@link #bytes} the datagram of slot {@code i} lies. It may lie in another
     * slot's bytes: a loop that drops datagrams closes the gaps by moving these numbers, not bytes.
     */
    public void datagram(int i, int start, int length) {
        starts[i] = start;
        lengths[i] = length;
    }

    /**
     * High 8 bytes of the peer's address: the source of a received datagram, the destination of one
     * to send.
     */
    public long addressHigh(int i) {
        return addressHighs[i];
    }

    public long addressLow(int i) {
        return addressLows[i];
    }

    public int port(int i) {
        return ports[i];
    }

    public void peer(int i, long addressHigh, long addressLow, int port) {
        addressHighs[i] = addressHigh;
        addressLows[i] = addressLow;
        ports[i] = port;
    }

    /**
     * High 8 bytes of our own address: where a received datagram was sent to, or from which to send
     * one. Both halves 0 when the port does not tell, or leaves it to the system.
     */
    public long localHigh(int i) {
        return localHighs[i];
    }

    public long localLow(int i) {
        return localLows[i];
    }

    public void local(int i, long addressHigh, long addressLow) {
        localHighs[i] = addressHigh;
        localLows[i] = addressLow;
    }

    /** Makes slot {@code to} name the datagram and the addresses of slot {@code from}. */
    public void move(int from, int to) {
        datagram(to, starts[from], lengths[from]);
        peer(to, addressHighs[from], addressLows[from], ports[from]);
        local(to, localHighs[from], localLows[from]);
    }

    /** What batched system calls need beside the bytes; made when first asked for. */
    MessageVectors vectors() {
        MessageVectors made = vectors;
        if (made == null) {
            made = new MessageVectors(this);
            vectors = made;
        }
        return made;
    }

    /** The bytes from {@code start} on, for a port that needs a position and a limit. */
    ByteBuffer view(int start, int length) {
        return view.limit(start + length).position(start);
    }
}
