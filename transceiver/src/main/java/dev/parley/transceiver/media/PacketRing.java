package dev.parley.transceiver.media;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bounded queue of input packets from a media loop to one codec thread. The loop copies a packet
 * into a slot, the codec thread reads it there; slots grow to the packets they have carried, so in
 * a steady state nothing is allocated.
 */
final class PacketRing {
    /** One packet; its fields are those of {@link InputPath.Sink#packet}. */
    static final class Slot {
        ByteBuffer bytes = ByteBuffer.allocate(0);
        int length;
        long offsetSamples;
        int samples;
        int missing;
        int audioLevel;
    }

    private final Slot[] slots;
    private final int mask;
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong read = new AtomicLong();

    PacketRing(int capacity) {
        slots = new Slot[capacity];
        mask = capacity - 1;
        if ((capacity & mask) != 0) {
            throw new IllegalArgumentException("the capacity is a power of two");
        }
        for (int i = 0; i < capacity; i++) {
            slots[i] = new Slot();
        }
    }

    /** Copies a packet in; answers false when the ring is full. Only the writing thread. */
    boolean offer(
            long offsetSamples,
            int samples,
            int missing,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length) {
        long at = written.getPlain();
        if (at - read.get() == slots.length) {
            return false;
        }
        Slot slot = slots[(int) at & mask];
        if (slot.bytes.capacity() < length) {
            slot.bytes = ByteBuffer.allocate(Math.max(length, 256));
        }
        slot.bytes.put(0, bytes, offset, length);
        slot.length = length;
        slot.offsetSamples = offsetSamples;
        slot.samples = samples;
        slot.missing = missing;
        slot.audioLevel = audioLevel;
        written.set(at + 1);
        return true;
    }

    boolean isEmpty() {
        return written.get() == read.getPlain();
    }

    /** The oldest packet; only when not empty, only the reading thread. */
    Slot head() {
        return slots[(int) read.getPlain() & mask];
    }

    /** Gives the head back. */
    void release() {
        read.set(read.getPlain() + 1);
    }
}
