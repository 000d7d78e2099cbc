package dev.parley.rtc.sctp;

/** The retransmission timeout, RFC 9260 6.3.1. Owned by an association. */
final class RtoEstimator {
    /**
     * A peer may hold a SACK back for 200 ms (RFC 9260 6.2), which a small variance would take for
     * a loss.
     */
    private static final long SACK_SLACK_NANOS = 220_000_000L;

    private static final long UNKNOWN = -1;

    private final SctpConfig.Timers timers;
    private long smoothedNanos = UNKNOWN;
    private long varianceNanos;
    private long rtoNanos;

    RtoEstimator(SctpConfig.Timers timers) {
        this.timers = timers;
        this.rtoNanos = timers.rtoInitialNanos();
    }

    void measured(long roundTripNanos) {
        long measured = Math.max(0, roundTripNanos);
        if (smoothedNanos == UNKNOWN) {
            // C2
            smoothedNanos = measured;
            varianceNanos = measured / 2;
        } else {
            // C3, alpha 1/8 and beta 1/4
            varianceNanos += (Math.abs(smoothedNanos - measured) - varianceNanos) / 4;
            smoothedNanos += (measured - smoothedNanos) / 8;
        }
        rtoNanos = computed();
    }

    private long computed() {
        // C6 and C7
        return Math.clamp(
                smoothedNanos + Math.max(4 * varianceNanos, SACK_SLACK_NANOS),
                timers.rtoMinNanos(),
                timers.rtoMaxNanos());
    }

    /**
     * The peer has acknowledged something: ends the back-off. RFC 9260 6.3.3 would keep it until a
     * round trip is measured, which on a lossy path can be long after, since what was sent twice
     * measures none.
     */
    void progressed() {
        if (smoothedNanos != UNKNOWN) {
            rtoNanos = computed();
        }
    }

    /** RFC 9260 6.3.3 E2. */
    void backOff() {
        rtoNanos = Math.min(rtoNanos * 2, timers.rtoMaxNanos());
    }

    long rtoNanos() {
        return rtoNanos;
    }

    /** Negative when nothing was measured. */
    long smoothedNanos() {
        return smoothedNanos;
    }
}
