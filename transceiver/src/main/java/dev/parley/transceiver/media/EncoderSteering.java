package dev.parley.transceiver.media;

import dev.parley.rtc.rtp.NtpTime;
import dev.parley.transceiver.audio.OpusSettings;

/**
 * Decides from a client's receiver reports how its voice is encoded next. In-band FEC follows loss:
 * up at once, down slowly. The bitrate follows congestion alone, which is loss with a round trip
 * that grows: taking bits away from a voice on a bad radio link would only take its FEC away. Owned
 * by the media loop.
 */
public final class EncoderSteering {
    /** Opus still sounds wideband with it; below, there is nothing to win for a call's packets. */
    private static final int FLOOR_BITRATE = 16_000;

    /** More expected loss changes nothing in libopus but the bits that are left. */
    private static final int MAX_LOSS_PERCENT = 25;

    /** With 0 libopus leaves FEC out; a copy costs little where loss is rare, and loss begins. */
    private static final int MIN_LOSS_PERCENT = 1;

    private static final double CONGESTED_LOSS_PERCENT = 5;
    private static final long CONGESTED_QUEUE_NANOS = 100_000_000L;
    private static final double LOSS_DECAY = 0.25;
    private static final double BACK_OFF = 0.75;
    private static final double RECOVERY = 1.08;

    /** A longer way is taken for the normal one after about this many reports. */
    private static final int PATH_MEMORY = 64;

    private final OpusSettings wanted;
    private OpusSettings current;
    private double lossPercent;
    private long leastRoundTripNanos = NtpTime.UNKNOWN;

    /**
     * @param wanted for a network without faults, in all but the expected loss
     */
    public EncoderSteering(OpusSettings wanted) {
        this.wanted = wanted;
        this.current = wanted;
        this.lossPercent = wanted.expectedLossPercent();
    }

    /**
     * Takes what a report says of our stream.
     *
     * @param fractionLost since the report before, in 256ths
     * @param roundTripNanos or {@link NtpTime#UNKNOWN}
     * @return the settings to go on with, the same object as before when nothing has changed
     */
    public OpusSettings onReport(int fractionLost, long roundTripNanos) {
        double lost = fractionLost * 100 / 256.0;
        lossPercent = Math.max(lost, lossPercent + (lost - lossPercent) * LOSS_DECAY);
        int bitrate = bitrate(lost, roundTripNanos);
        int expected = Math.clamp((int) Math.ceil(lossPercent), MIN_LOSS_PERCENT, MAX_LOSS_PERCENT);
        if (bitrate != current.bitrate() || expected != current.expectedLossPercent()) {
            current = current.with(bitrate, expected);
        }
        return current;
    }

    private int bitrate(double lost, long roundTripNanos) {
        long queue = queueNanos(roundTripNanos);
        boolean congested = lost > CONGESTED_LOSS_PERCENT && queue > CONGESTED_QUEUE_NANOS;
        int floor = Math.min(FLOOR_BITRATE, wanted.bitrate());
        double next = current.bitrate() * (congested ? BACK_OFF : RECOVERY);
        return Math.clamp((int) next, floor, wanted.bitrate());
    }

    /** How much longer the round trip is than it has to be. */
    private long queueNanos(long roundTripNanos) {
        if (roundTripNanos == NtpTime.UNKNOWN) {
            return 0;
        }
        if (leastRoundTripNanos == NtpTime.UNKNOWN || roundTripNanos < leastRoundTripNanos) {
            leastRoundTripNanos = roundTripNanos;
        }
        long queue = roundTripNanos - leastRoundTripNanos;
        leastRoundTripNanos += queue / PATH_MEMORY;
        return queue;
    }
}
