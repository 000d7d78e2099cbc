package dev.parley.transceiver.media;

/**
 * Places input packets on the clock of {@code audio_offset_ms}: samples at 48 kHz from the first
 * packet's first sample. It follows RTP timestamps, so it keeps time through silence (DTX) and
 * loss, and never steps back. Owned by one session's input.
 *
 * <p>A client's sample clock runs some parts in a million faster or slower than ours. What that
 * adds up to shows in the packets that travelled fastest, and is taken out of the offsets a few
 * samples at a time: they keep our wall-clock however long a call is. The audio itself is left as
 * it is, so a packet's offset may differ from the end of the one before by a fraction of a
 * millisecond. A sender whose timestamps stood still while it paused is followed by a step ahead.
 */
public final class InputClock {
    /** RTP clock of Opus, RFC 7587 4.1. */
    public static final int RATE_HZ = 48_000;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int SAMPLES_PER_MILLI = RATE_HZ / 1000;

    /** A timestamp further ahead of real time than this is a new time base, not a pause. */
    private static final long MAX_LEAD_SAMPLES = 2L * RATE_HZ;

    /** How long the fastest packet may still turn out to have been a slow one. */
    private static final long SETTLING_SAMPLES = 10L * RATE_HZ;

    /** The fastest packet of each such time is looked at. */
    private static final long WINDOW_SAMPLES = 5L * RATE_HZ;

    /** Further behind than any drift or change of path: the sender paused its timestamps. */
    private static final long PAUSED_SAMPLES = 300L * SAMPLES_PER_MILLI;

    /** Less than this is the network's noise. */
    private static final long NOISE_SAMPLES = SAMPLES_PER_MILLI;

    /** Corrections are spread: at most this share of a packet. */
    private static final double MAX_SLEW = 0.005;

    /** Most that a packet may begin before the end of the one before. */
    private static final long MAX_OVERLAP_SAMPLES = SAMPLES_PER_MILLI;

    private final int samplesPerTick;
    private boolean started;
    private int lastTimestamp;
    private int lastSamples;
    private long position;
    private double correction;
    private double pending;
    private long lastArrivalNanos;
    private long firstArrivalNanos;
    private long lastOffset;
    private long endOffset;

    private long basedAt;
    private double base;
    private long windowFrom;
    private double windowMin;
    private double rawWindowMin;
    private boolean driftKnown;
    private long driftFrom;
    private double driftFromRaw;
    private double driftPpm;

    /** Follows timestamps of Opus. */
    public InputClock() {
        this(RATE_HZ);
    }

    /**
     * @param clockRateHz of the RTP timestamps, a divisor of {@link #RATE_HZ}
     */
    public InputClock(int clockRateHz) {
        samplesPerTick = RATE_HZ / clockRateHz;
    }

    /** Samples at 48 kHz from one timestamp to another; negative when it is the earlier one. */
    long samplesBetween(int timestamp, int later) {
        // RFC 3550 5.1: timestamps wrap; the difference of two is signed.
        return (long) (later - timestamp) * samplesPerTick;
    }

    /**
     * Places the next packet in sequence.
     *
     * @param timestamp its RTP timestamp
     * @param samples its length at 48 kHz
     * @param arrivalNanos when it arrived
     * @param newSource whether its SSRC differs from the packet before: its timestamps then have
     *     another base
     * @return offset of its first sample
     */
    public long place(int timestamp, int samples, long arrivalNanos, boolean newSource) {
        if (!started) {
            started = true;
            firstArrivalNanos = arrivalNanos;
            rebase(0);
        } else {
            long step = samplesBetween(lastTimestamp, timestamp);
            long elapsed = samplesIn(arrivalNanos - lastArrivalNanos);
            if (!newSource && step >= 0 && step - elapsed <= MAX_LEAD_SAMPLES) {
                position += step;
            } else {
                position += Math.max(elapsed, lastSamples);
                rebase(samplesIn(arrivalNanos - firstArrivalNanos));
            }
        }
        lastTimestamp = timestamp;
        lastSamples = samples;
        lastArrivalNanos = arrivalNanos;
        follow(samplesIn(arrivalNanos - firstArrivalNanos), samples);
        long wanted = position + Math.round(correction);
        lastOffset = Math.max(Math.max(wanted, lastOffset), endOffset - MAX_OVERLAP_SAMPLES);
        endOffset = lastOffset + samples;
        return lastOffset;
    }

    /** Timestamps have another base from here on: what is known of the network's delay is void. */
    private void rebase(long arrival) {
        basedAt = arrival;
        base = Double.MAX_VALUE;
        pending = 0;
        openWindow(arrival);
        driftKnown = false;
    }

    private void openWindow(long arrival) {
        windowFrom = arrival;
        windowMin = Double.MAX_VALUE;
        rawWindowMin = Double.MAX_VALUE;
    }

    /** Compares the packet's time of arrival with its offset, and corrects what has added up. */
    private void follow(long arrival, int samples) {
        double raw = arrival - position;
        double transit = raw - correction;
        if (arrival - basedAt < SETTLING_SAMPLES) {
            base = Math.min(base, transit);
        }
        if (pending != 0) {
            slew(arrival, samples);
            return;
        }
        windowMin = Math.min(windowMin, transit);
        rawWindowMin = Math.min(rawWindowMin, raw);
        if (arrival - windowFrom < WINDOW_SAMPLES) {
            return;
        }
        double late = windowMin - base;
        measureDrift(arrival);
        if (late > PAUSED_SAMPLES) {
            correction += late;
            driftKnown = false;
        } else if (Math.abs(late) > NOISE_SAMPLES) {
            pending = late;
        }
        openWindow(arrival);
    }

    private void slew(long arrival, int samples) {
        double most = samples * MAX_SLEW;
        double slewed = Math.clamp(pending, -most, most);
        correction += slewed;
        pending -= slewed;
        if (pending == 0) {
            openWindow(arrival);
        }
    }

    private void measureDrift(long arrival) {
        if (!driftKnown) {
            driftKnown = true;
            driftFrom = arrival;
            driftFromRaw = rawWindowMin;
        } else {
            driftPpm = (driftFromRaw - rawWindowMin) * 1e6 / (arrival - driftFrom);
        }
    }

    /**
     * By how much the client's sample clock is faster than ours, in parts per million; 0 until it
     * is known. Measured between the fastest packets of the first and of the last five seconds.
     */
    public double driftPpm() {
        return driftPpm;
    }

    /** End of the last packet placed: where the next one begins when nothing is missing. */
    public long endOffset() {
        return endOffset;
    }

    /** Whole milliseconds of a number of samples. */
    public static long millis(long samples) {
        return samples / SAMPLES_PER_MILLI;
    }

    private static long samplesIn(long nanos) {
        long seconds = nanos / NANOS_PER_SECOND;
        long rest = nanos % NANOS_PER_SECOND;
        return Math.max(seconds * RATE_HZ + rest * RATE_HZ / NANOS_PER_SECOND, 0);
    }
}
