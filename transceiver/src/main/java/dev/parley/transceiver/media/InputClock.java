package dev.parley.transceiver.media;

/**
 * Places input packets on the clock of {@code audio_offset_ms}: samples at 48 kHz from the first
 * packet's first sample. It follows RTP timestamps, so it keeps wall-clock through silence (DTX)
 * and loss, and never steps back. Owned by one session's input.
 */
public final class InputClock {
    /** RTP clock of Opus, RFC 7587 4.1. */
    public static final int RATE_HZ = 48_000;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** A timestamp further ahead of real time than this is a new time base, not a pause. */
    private static final long MAX_LEAD_SAMPLES = 2L * RATE_HZ;

    private boolean started;
    private int lastTimestamp;
    private long lastOffset;
    private long lastArrivalNanos;
    private long endOffset;

    /**
     * Places the next packet in sequence.
     *
     * @param timestamp its RTP timestamp
     * @param samples its length at 48 kHz
     * @param arrivalNanos when it arrived
     * @param newSource whether its SSRC differs from the packet before: its timestamps then have
     *     another base
     * @return offset of its first sample, at least the end of the packet before
     */
    public long place(int timestamp, int samples, long arrivalNanos, boolean newSource) {
        if (!started) {
            started = true;
            lastOffset = 0;
        } else {
            // RFC 3550 5.1: timestamps wrap; the difference of two is signed.
            int step = timestamp - lastTimestamp;
            long elapsed = samplesIn(arrivalNanos - lastArrivalNanos);
            boolean sameBase = !newSource && step >= 0 && step - elapsed <= MAX_LEAD_SAMPLES;
            lastOffset = Math.max(lastOffset + (sameBase ? step : elapsed), 0);
            if (!sameBase) {
                lastOffset = Math.max(lastOffset, endOffset);
            }
        }
        lastTimestamp = timestamp;
        lastArrivalNanos = arrivalNanos;
        long offset = Math.max(lastOffset, endOffset);
        endOffset = offset + samples;
        return offset;
    }

    /** End of the last packet placed: where the next one begins when nothing is missing. */
    public long endOffset() {
        return endOffset;
    }

    /** Whole milliseconds of a number of samples. */
    public static long millis(long samples) {
        return samples / (RATE_HZ / 1000);
    }

    private static long samplesIn(long nanos) {
        return Math.max(nanos, 0) / (NANOS_PER_SECOND / RATE_HZ);
    }
}
