package dev.parley.transceiver.media;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A bounded queue of input packets from a media loop to one codec thread. The loop copies a packet
 * into a slot, the codec thread reads it there; slots grow to the packets they have carried, so in
 * a steady state nothing is allocated.
 */
final class PacketRing {
    private final InputPacket[] slots;
    private final int mask;
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong read = new AtomicLong();

    PacketRing(int capacity) {
        slots = new InputPacket[capacity];
        mask = capacity - 1;
        if ((capacity & mask) != 0) {
            throw new IllegalArgumentException("the capacity is a power of two");
        }
        for (int i = 0; i < capacity; i++) {
            slots[i] = new InputPacket();
        }
    }

    /** Copies a packet in; answers false when the ring is full. Only the writing thread. */
    boolean offer(InputPacket packet) {
        long at = written.getPlain();
        if (at - read.get() == slots.length) {
            return false;
        }
        slots[(int) at & mask].copy(packet);
        written.set(at + 1);
        return true;
    }

    boolean isEmpty() {
        return written.get() == read.getPlain();
    }

    /** The oldest packet; only when not empty, only the reading thread. */
    InputPacket head() {
        return slots[(int) read.getPlain() & mask];
    }

    /** Gives the head back. */
    void release() {
        read.set(read.getPlain() + 1);
    }
}
