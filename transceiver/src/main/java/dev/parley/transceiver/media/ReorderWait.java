package dev.parley.transceiver.media;

/**
 * Learns from one session's gaps how long it pays to wait for a missing packet. A wait wins a
 * packet that would else be made up, and delays all that follow; how likely it is to win is known
 * from how the gaps before ended. Owned by the session's {@link ReorderBuffer}.
 *
 * <p>A network that only loses packets is soon not waited for at all, one that swaps them as long
 * as its swaps take. Packets that come after their turn teach as well.
 */
final class ReorderWait {
    /** Delay in milliseconds that a packet is worth when the gap could only be made up. */
    private static final double CONCEALED_WORTH_MILLIS = 100;

    /** The same when the packet after the gap carries a coarse copy. */
    private static final double REPAIRABLE_WORTH_MILLIS = 30;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final int BINS = 16;

    /** What each outcome leaves of those before it: half of them count after 14. */
    private static final double MEMORY = 0.95;

    private final double binMillis;
    private final double[] arrived = new double[BINS];
    private double never;
    private long concealedNanos;
    private long repairableNanos;

    /**
     * @param maxWaitNanos more is never waited
     */
    ReorderWait(long maxWaitNanos) {
        binMillis = maxWaitNanos / NANOS_PER_MILLI / BINS;
        // Before anything is known: of three gaps one is a swap of neighbours.
        arrived[bin(10)] = 1;
        never = 2;
        decide();
    }

    /**
     * How long to wait now.
     *
     * @param repairable whether the packet after the gap carries a coarse copy of what is missing
     */
    long nanos(boolean repairable) {
        return repairable ? repairableNanos : concealedNanos;
    }

    /** A missing packet came this long after it was missed. */
    void came(long afterNanos) {
        double millis = afterNanos / NANOS_PER_MILLI;
        if (millis > binMillis * BINS) {
            neverCame();
            return;
        }
        fade();
        arrived[bin(millis)] += 1;
        decide();
    }

    /** A missing packet did not come, or too late for any wait. */
    void neverCame() {
        fade();
        never += 1;
        decide();
    }

    private int bin(double millis) {
        return binMillis > 0 ? Math.clamp((int) (millis / binMillis), 0, BINS - 1) : 0;
    }

    private void fade() {
        for (int i = 0; i < BINS; i++) {
            arrived[i] *= MEMORY;
        }
        never *= MEMORY;
    }

    private void decide() {
        concealedNanos = best(CONCEALED_WORTH_MILLIS);
        repairableNanos = best(REPAIRABLE_WORTH_MILLIS);
    }

    /** The wait whose expected worth exceeds its expected cost most; 0 when none does. */
    private long best(double worthMillis) {
        double sum = never;
        for (double weight : arrived) {
            sum += weight;
        }
        double won = 0;
        double waited = 0;
        double most = 0;
        double wait = 0;
        for (int i = 0; i < BINS; i++) {
            double end = (i + 1) * binMillis;
            won += arrived[i];
            waited += arrived[i] * (i + 0.5) * binMillis;
            double gain = won * worthMillis - waited - (sum - won) * end;
            if (gain > most) {
                most = gain;
                wait = end;
            }
        }
        return (long) (wait * NANOS_PER_MILLI);
    }
}
