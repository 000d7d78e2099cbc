package dev.parley.e2e.drill;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * When the RTP packets of one sender passed, in order: of the first that is seen. What it sends
 * again is left out: after a short outage a client is asked for what has not come, and nobody waits
 * for that any more. Any thread.
 */
final class MediaTimes {
    private static final int SEQUENCE_NUMBER_AT = 2;
    private static final int SSRC_AT = 8;

    private final List<Long> times = new ArrayList<>();
    private int source;
    private short newest;

    /** Takes note of a datagram that passes now, if it is RTP. */
    void note(byte[] datagram) {
        // RFC 7983: 128 to 191 is RTP or RTCP, whose payload types stand apart (RFC 5761 4).
        int first = datagram[0] & 0xFF;
        int type = datagram[1] & 0x7F;
        if (first >= 128 && first < 192 && (type < 64 || type > 95)) {
            ByteBuffer packet = ByteBuffer.wrap(datagram);
            note(packet.getInt(SSRC_AT), packet.getShort(SEQUENCE_NUMBER_AT));
        }
    }

    private synchronized void note(int ssrc, short sequenceNumber) {
        if (times.isEmpty()) {
            source = ssrc;
            newest = (short) (sequenceNumber - 1);
        }
        // RFC 3550 5.1: sequence numbers wrap; the difference of two is signed.
        if (ssrc == source && (short) (sequenceNumber - newest) > 0) {
            newest = sequenceNumber;
            times.add(System.nanoTime());
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
