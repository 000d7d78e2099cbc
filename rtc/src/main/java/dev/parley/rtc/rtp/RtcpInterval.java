package dev.parley.rtc.rtp;

import java.util.random.RandomGenerator;

/**
 * How long one end of a call waits between its RTCP packets, RFC 3550 6.2 and 6.3. A call has two
 * members that both may send, so nobody joins or leaves and no timer has to be reconsidered. One
 * for each session; one thread only.
 */
public final class RtcpInterval {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int MEMBERS = 2;

    /** RFC 3550 6.2: RTCP takes 5 % of a session. */
    private static final double SHARE = 0.05;

    /** RFC 3550 6.2; the feedback profile has no such bound, RFC 4585 3.4. */
    private static final double MIN_SECONDS = 5;

    /** RFC 3550 6.3.1, A.7: e - 3/2 makes up for what reconsideration takes away. */
    private static final double COMPENSATION = Math.E - 1.5;

    /** RFC 3550 6.3.3: the weight of the newest packet. */
    private static final double WEIGHT = 1.0 / 16;

    /** RFC 3550 6.2: sizes count with the headers of UDP and IP. */
    private static final int LOWER_LAYERS_BYTES = 28;

    private final double bytesPerSecond;
    private final double minSeconds;
    private double averageBytes;

    /**
     * @param sessionBitsPerSecond what the session takes, headers included
     * @param feedbackProfile whether it is AVPF or SAVPF (RFC 4585, RFC 5124)
     * @param firstBytes probable size of the first packet
     */
    public RtcpInterval(int sessionBitsPerSecond, boolean feedbackProfile, int firstBytes) {
        this.bytesPerSecond = sessionBitsPerSecond / 8.0 * SHARE;
        this.minSeconds = feedbackProfile ? 0 : MIN_SECONDS;
        this.averageBytes = firstBytes + LOWER_LAYERS_BYTES;
    }

    /** Notes an RTCP packet that was sent or received, of this length as UDP payload. */
    public void seen(int lengthBytes) {
        averageBytes += (lengthBytes + LOWER_LAYERS_BYTES - averageBytes) * WEIGHT;
    }

    /**
     * Wait before the first packet: half as long, so that the other side soon knows who is there
     * and how far away.
     */
    public long firstNanos(RandomGenerator random) {
        return nanos(minSeconds / 2, random);
    }

    /** Wait before any later packet, from when the one before was sent. */
    public long nextNanos(RandomGenerator random) {
        return nanos(minSeconds, random);
    }

    private long nanos(double atLeastSeconds, RandomGenerator random) {
        // RFC 3550 6.3.1: senders are more than a quarter of the members, so both share alike.
        double calculated = Math.max(averageBytes * MEMBERS / bytesPerSecond, atLeastSeconds);
        double randomised = calculated * random.nextDouble(0.5, 1.5) / COMPENSATION;
        return (long) (randomised * NANOS_PER_SECOND);
    }
}
