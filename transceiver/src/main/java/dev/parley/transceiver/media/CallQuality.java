package dev.parley.transceiver.media;

/**
 * How a call sounds in both directions, from what reports said in the course of it. Owned by the
 * session's media loop; its summaries may go anywhere.
 */
public final class CallQuality {
    /**
     * One direction over some time.
     *
     * @param lossShare of its packets that did not come in time, 0 to 1
     * @param jitterMillis interarrival jitter (RFC 3550 6.4.1), as it was last
     * @param rating of {@link VoiceQuality}, 0 to 93.2
     */
    public record Summary(double lossShare, double jitterMillis, double rating) {
        /** 1 to 4.5. */
        public double meanOpinionScore() {
            return VoiceQuality.meanOpinionScore(rating);
        }

        /** The class of ITU-T G.109. */
        public QualityClass qualityClass() {
            return QualityClass.of(rating);
        }
    }

    /** Classes of speech transmission quality, ITU-T G.109 table 1. */
    public enum QualityClass {
        BEST(90),
        HIGH(80),
        MEDIUM(70),
        LOW(60),
        POOR(0);

        private final int least;

        QualityClass(int least) {
            this.least = least;
        }

        static QualityClass of(double rating) {
            for (QualityClass each : values()) {
                if (rating >= each.least) {
                    return each;
                }
            }
            return POOR;
        }
    }

    /** A packet of 20 ms, and what Opus looks ahead. */
    private static final double CODEC_MILLIS = 26.5;

    private static final double NANOS_PER_MILLI = 1e6;

    private final Direction input = new Direction();
    private final Direction output = new Direction();
    private long roundTripNanos;

    /** The round trip between us and the client was measured. */
    public void roundTrip(long nanos) {
        roundTripNanos = nanos;
    }

    /** Some time of the caller's audio has come, and some has not. */
    public void heardCaller(long packets, long lost, long jitterNanos) {
        long expected = packets + lost;
        if (expected > 0) {
            input.add((double) lost / expected, jitterNanos, roundTripNanos);
        }
    }

    /** The client has reported on what it heard since its report before. */
    public void callerHeard(int fractionLost, long jitterNanos) {
        output.add(fractionLost / 256.0, jitterNanos, roundTripNanos);
    }

    /** What we hear of the caller. */
    public Direction input() {
        return input;
    }

    /** What the caller hears of us. */
    public Direction output() {
        return output;
    }

    /** One direction. */
    public static final class Direction {
        private double jitterMillis;
        private double lossSum;
        private double ratingSum;
        private long intervals;
        private double recentLossSum;
        private double recentRatingSum;
        private long recentIntervals;

        private void add(double lossShare, long jitterNanos, long roundTripNanos) {
            jitterMillis = jitterNanos / NANOS_PER_MILLI;
            // A jitter buffer waits about twice the jitter.
            double delay = roundTripNanos / NANOS_PER_MILLI / 2 + CODEC_MILLIS + 2 * jitterMillis;
            double rating = VoiceQuality.rating(delay, lossShare);
            lossSum += lossShare;
            ratingSum += rating;
            intervals++;
            recentLossSum += lossShare;
            recentRatingSum += rating;
            recentIntervals++;
        }

        /** Whether there was any report yet. */
        public boolean isKnown() {
            return intervals > 0;
        }

        /** The whole call; only when {@link #isKnown}. */
        public Summary whole() {
            return new Summary(lossSum / intervals, jitterMillis, ratingSum / intervals);
        }

        /** Since this was last asked; the whole call when nothing was reported since. */
        public Summary recent() {
            if (recentIntervals == 0) {
                return whole();
            }
            Summary recent =
                    new Summary(
                            recentLossSum / recentIntervals,
                            jitterMillis,
                            recentRatingSum / recentIntervals);
            recentLossSum = 0;
            recentRatingSum = 0;
            recentIntervals = 0;
            return recent;
        }
    }
}
