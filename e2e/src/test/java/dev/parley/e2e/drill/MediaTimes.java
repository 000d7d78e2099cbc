package dev.parley.e2e.drill;

import java.util.ArrayList;
import java.util.List;

/** When RTP packets of one direction passed, in order. Any thread. */
final class MediaTimes {
    private final List<Long> times = new ArrayList<>();

    /** Takes note of a datagram that passes now, if it is RTP. */
    void note(byte[] datagram) {
        // RFC 7983: 128 to 191 is RTP or RTCP, whose payload types stand apart (RFC 5761 4).
        int first = datagram[0] & 0xFF;
        int type = datagram[1] & 0x7F;
        if (first >= 128 && first < 192 && (type < 64 || type > 95)) {
            synchronized (this) {
                times.add(System.nanoTime());
            }
        }
    }

    synchronized int count() {
        return times.size();
    }

    /** Packets after a moment among the first so many. */
    synchronized long countAfter(long nanos, long first) {
        return times.stream().limit(first).filter(at -> at - nanos > 0).count();
    }

    /** When the first packet after a moment passed, or {@code Long.MAX_VALUE}. */
    synchronized long firstAfter(long nanos) {
        return times.stream().filter(at -> at - nanos > 0).findFirst().orElse(Long.MAX_VALUE);
    }

    /** When the last packet before a moment passed. */
    synchronized long lastBefore(long nanos) {
        return times.stream().filter(at -> at - nanos <= 0).reduce((a, b) -> b).orElse(nanos);
    }

    /** The longest time without a packet between two moments. */
    synchronized double longestGapMillis(long fromNanos, long toNanos) {
        long longest = 0;
        long last = fromNanos;
        for (long at : times) {
            if (at - fromNanos > 0 && at - toNanos < 0) {
                longest = Math.max(longest, at - last);
                last = at;
            }
        }
        return Math.max(longest, toNanos - last) / 1e6;
    }
}
