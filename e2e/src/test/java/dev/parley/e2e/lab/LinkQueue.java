package dev.parley.e2e.lab;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a link: decides for each packet whether and when it arrives, and keeps it until
 * then. Everything follows from the seed and from when packets come. One thread owns it.
 */
final class LinkQueue {
    private static final int CAPACITY = 10_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private static final class Waiting {
        private final long dueNanos;
        private final long order;
        private final byte[] packet;

        private Waiting(long dueNanos, long order, byte[] packet) {
            this.dueNanos = dueNanos;
            this.order = order;
            this.packet = packet;
        }
    }

    private final SplittableRandom random;
    private final PriorityQueue<Waiting> waiting =
            new PriorityQueue<>(
                    (a, b) -> {
                        int byTime = Long.signum(a.dueNanos - b.dueNanos);
                        return byTime != 0 ? byTime : Long.signum(a.order - b.order);
                    });
    private long order;
    private boolean inBurst;
    private long freeNanos;
    private boolean used;
    private long lost;

    LinkQueue(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Takes a packet that enters the link now; it may be lost, or be there twice. */
    void offer(LinkProfile profile, byte[] packet, long nowNanos) {
        if (isLost(profile) || waiting.size() >= CAPACITY) {
            lost++;
            return;
        }
        long sentNanos = transmit(profile, packet.length, nowNanos);
        if (sentNanos - nowNanos > profile.queueNanos() && profile.bitsPerSecond() > 0) {
            lost++;
            return;
        }
        int copies = happens(profile.duplicate()) ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            byte[] copy = packet.clone();
            if (happens(profile.corrupt())) {
                corrupt(copy);
            }
            waiting.add(new Waiting(sentNanos + delay(profile), order++, copy));
        }
        freeNanos = sentNanos;
        used = true;
    }

    private boolean isLost(LinkProfile profile) {
        // Gilbert's model: a burst begins with one probability and ends with another.
        inBurst = inBurst ? !happens(1 / profile.burstLength()) : happens(profile.burst());
        return happens(profile.loss()) || inBurst;
    }

    /** When its last bit would be on the wire. */
    private long transmit(LinkProfile profile, int lengthBytes, long nowNanos) {
        if (profile.bitsPerSecond() == 0) {
            return nowNanos;
        }
        long start = used && freeNanos - nowNanos > 0 ? freeNanos : nowNanos;
        return start + 8L * lengthBytes * NANOS_PER_SECOND / profile.bitsPerSecond();
    }

    private long delay(LinkProfile profile) {
        if (happens(profile.reorder())) {
            return 0;
        }
        long jitter = profile.jitterNanos();
        return profile.delayNanos() + (jitter == 0 ? 0 : random.nextLong(-jitter, jitter + 1));
    }

    private void corrupt(byte[] packet) {
        Ipv4Packet view = new Ipv4Packet(packet);
        if (view.isUdp() && view.payloadLength() > 0) {
            int at = view.payloadOffset() + random.nextInt(view.payloadLength());
            packet[at] ^= (byte) (1 << random.nextInt(8));
            view.clearUdpChecksum();
        }
    }

    private boolean happens(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /** The next packet that has arrived by now, or null. */
    byte @Nullable [] poll(long nowNanos) {
        Waiting first = waiting.peek();
        if (first == null || first.dueNanos - nowNanos > 0) {
            return null;
        }
        waiting.remove();
        return first.packet;
    }

    /** Time until the next packet arrives, at most {@code mostNanos}; 0 when one is due. */
    long untilNext(long nowNanos, long mostNanos) {
        Waiting first = waiting.peek();
        return first == null ? mostNanos : Math.clamp(first.dueNanos - nowNanos, 0, mostNanos);
    }

    /** Packets that the link lost. */
    long lost() {
        return lost;
    }
}
