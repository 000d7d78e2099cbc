package dev.parley.rtc.rtp;

import java.nio.ByteBuffer;

/**
 * The packets that a stream's sender sent last, as they went out, for a peer that asks for one
 * again (RFC 4585 6.2.1). Each is sent again once at most: what is lost twice comes too late in any
 * case. Owned by the sender's thread; its slots grow to the packets they have held, so a steady
 * state allocates nothing.
 */
public final class SentPackets {
    /** 640 ms of packets of 20 ms: no jitter buffer waits longer for one. */
    private static final int CAPACITY = 32;

    private static final int NONE = -1;

    private final byte[][] packets = new byte[CAPACITY][];
    private final int[] lengths = new int[CAPACITY];
    private final int[] sequences = new int[CAPACITY];

    public SentPackets() {
        for (int i = 0; i < CAPACITY; i++) {
            packets[i] = new byte[0];
            sequences[i] = NONE;
        }
    }

    /** Keeps a copy of a packet. */
    public void sent(int sequenceNumber, ByteBuffer bytes, int offset, int length) {
        int slot = sequenceNumber % CAPACITY;
        if (packets[slot].length < length) {
            packets[slot] = new byte[Math.max(length, 160)];
        }
        bytes.get(offset, packets[slot], 0, length);
        lengths[slot] = length;
        sequences[slot] = sequenceNumber;
    }

    /**
     * Copies a packet out, once.
     *
     * @return its length, 0 when it is not there any more
     */
    public int take(int sequenceNumber, ByteBuffer into, int offset) {
        int slot = sequenceNumber % CAPACITY;
        if (sequences[slot] != sequenceNumber) {
            return 0;
        }
        sequences[slot] = NONE;
        into.put(offset, packets[slot], 0, lengths[slot]);
        return lengths[slot];
    }
}
