package dev.parley.transceiver.session;

import dev.parley.rtc.ice.IcePath;
import java.nio.ByteBuffer;

/**
 * Keeps datagrams that came a moment too early: a client's DTLS hello that overtook its first
 * check, media that overtook the end of the handshake. So nobody waits for a retransmission. A
 * short ring: under a flood the oldest go, and nothing is ever answered. Owned by one media loop.
 */
final class EarlyDatagrams {
    /** Takes what was kept, oldest first. */
    interface Output {
        void datagram(ByteBuffer bytes, int offset, int length);
    }

    private static final int SLOTS = 64;
    private static final long MAX_AGE_NANOS = 3_000_000_000L;

    private final Slot[] slots = new Slot[SLOTS];
    private int next;

    EarlyDatagrams() {
        for (int i = 0; i < SLOTS; i++) {
            slots[i] = new Slot();
        }
    }

    /** Keeps a datagram; answers whether one that nobody has asked for had to give way to it. */
    boolean keep(IcePath from, ByteBuffer bytes, int offset, int length, long nowNanos) {
        boolean gaveWay = slots[next].length > 0;
        slots[next].fill(from, bytes, offset, length, nowNanos);
        next = (next + 1) % SLOTS;
        return gaveWay;
    }

    /** Hands over and forgets what came on a path and is not too old. */
    void release(IcePath from, long nowNanos, Output output) {
        for (int i = 0; i < SLOTS; i++) {
            Slot slot = slots[(next + i) % SLOTS];
            if (slot.length > 0 && slot.from.isSamePair(from)) {
                int length = slot.length;
                slot.length = 0;
                if (nowNanos - slot.keptNanos <= MAX_AGE_NANOS) {
                    output.datagram(slot.bytes, 0, length);
                }
            }
        }
    }

    private static final class Slot {
        private final IcePath from = new IcePath();
        private ByteBuffer bytes = ByteBuffer.allocate(0);
        private int length;
        private long keptNanos;

        void fill(IcePath path, ByteBuffer source, int offset, int length, long nowNanos) {
            if (bytes.capacity() < length) {
                bytes = ByteBuffer.allocate(length);
            }
            bytes.put(0, source, offset, length);
            from.client(path.clientHigh(), path.clientLow(), path.clientPort())
                    .proxy(path.proxyHigh(), path.proxyLow(), path.proxyPort());
            this.length = length;
            keptNanos = nowNanos;
        }
    }
}
