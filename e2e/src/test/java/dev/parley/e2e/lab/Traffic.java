package dev.parley.e2e.lab;

import java.util.ArrayList;
import java.util.List;

/**
 * What has come out of one direction of a link. Written by the thread of that direction, read by
 * any.
 */
public final class Traffic {
    private static final int MAX_ARRIVALS = 1_000;

    private final List<Arrival> arrivals = new ArrayList<>();
    private long delivered;
    private long media;
    private long checks;
    private long lastMediaNanos;
    private long longestGapNanos;
    private long markNanos;
    private long firstMediaAfterMarkNanos;
    private long firstCheckAfterMarkNanos;

    synchronized void delivered(Ipv4Packet packet, long nowNanos) {
        delivered++;
        if (arrivals.size() < MAX_ARRIVALS) {
            arrivals.add(Arrival.of(packet, nowNanos));
        }
        int first = packet.isUdp() ? packet.firstPayloadByte() : -1;
        // RFC 7983 7: 128 to 191 is SRTP or SRTCP, 0 to 3 is STUN.
        if (first >= 128 && first <= 191) {
            onMedia(nowNanos);
        } else if (first == 0) {
            checks++;
            firstCheckAfterMarkNanos =
                    firstCheckAfterMarkNanos == 0 ? nowNanos : firstCheckAfterMarkNanos;
        }
    }

    private void onMedia(long nowNanos) {
        if (media++ > 0) {
            longestGapNanos = Math.max(longestGapNanos, nowNanos - lastMediaNanos);
        }
        lastMediaNanos = nowNanos;
        firstMediaAfterMarkNanos =
                firstMediaAfterMarkNanos == 0 ? nowNanos : firstMediaAfterMarkNanos;
    }

    /** Begins to measure anew: gaps and first packets count from now. */
    public synchronized void mark() {
        markNanos = System.nanoTime();
        arrivals.clear();
        longestGapNanos = 0;
        firstMediaAfterMarkNanos = 0;
        firstCheckAfterMarkNanos = 0;
    }

    /** The first packets since the mark, or since the link began. */
    public synchronized List<Arrival> arrivals() {
        return List.copyOf(arrivals);
    }

    /** Packets that arrived. */
    public synchronized long delivered() {
        return delivered;
    }

    /** SRTP and SRTCP packets that arrived. */
    public synchronized long media() {
        return media;
    }

    /** STUN requests and indications that arrived. */
    public synchronized long checks() {
        return checks;
    }

    /**
     * Longest time without media since the mark, in milliseconds; a gap that began before counts
     * whole, one that lasts still counts up to now.
     */
    public synchronized double longestGapMillis() {
        long open = media == 0 ? 0 : System.nanoTime() - lastMediaNanos;
        return Math.max(open, longestGapNanos) / 1e6;
    }

    /** Time from the mark to the first media packet, in milliseconds; -1 when none came. */
    public synchronized double firstMediaMillis() {
        return firstMediaAfterMarkNanos == 0 ? -1 : (firstMediaAfterMarkNanos - markNanos) / 1e6;
    }

    /** Time from the mark to the first STUN request, in milliseconds; -1 when none came. */
    public synchronized double firstCheckMillis() {
        return firstCheckAfterMarkNanos == 0 ? -1 : (firstCheckAfterMarkNanos - markNanos) / 1e6;
    }
}
