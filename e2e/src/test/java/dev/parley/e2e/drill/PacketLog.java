package dev.parley.e2e.drill;

import java.util.Arrays;

/** When each packet of one direction was sent and when it came, by its number. Any thread. */
final class PacketLog {
    private static final long NEVER = Long.MIN_VALUE;

    private long[] sent = new long[1_024];
    private long[] arrived = new long[1_024];
    private int count;

    /** A packet is sent now; answers its number. */
    synchronized int sent() {
        if (count == sent.length) {
            sent = Arrays.copyOf(sent, 2 * count);
            arrived = Arrays.copyOf(arrived, 2 * count);
        }
        sent[count] = System.nanoTime();
        arrived[count] = NEVER;
        return count++;
    }

    /** A packet has come now. */
    synchronized void arrived(int number) {
        arrived[number] = System.nanoTime();
    }

    /** When the first packet after a moment was sent; {@code Long.MAX_VALUE} when none was. */
    synchronized long firstSentAfter(long nanos) {
        for (int i = 0; i < count; i++) {
            if (sent[i] - nanos > 0) {
                return sent[i];
            }
        }
        return Long.MAX_VALUE;
    }

    /** When the first packet after a moment came; {@code Long.MAX_VALUE} when none did. */
    synchronized long firstArrivalAfter(long nanos) {
        long first = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            if (arrived[i] != NEVER && arrived[i] - nanos > 0) {
                first = Math.min(first, arrived[i]);
            }
        }
        return first;
    }

    /** Packets sent between two moments that have not come. */
    synchronized int lost(long fromNanos, long toNanos) {
        int lost = 0;
        for (int i = 0; i < count; i++) {
            if (sent[i] - fromNanos > 0 && sent[i] - toNanos < 0 && arrived[i] == NEVER) {
                lost++;
            }
        }
        return lost;
    }
}
