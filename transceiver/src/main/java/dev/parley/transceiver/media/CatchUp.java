package dev.parley.transceiver.media;

/**
 * How much earlier speech could leave that comes in real time. Such speech lies in the queue until
 * its packet is due, and once some of it has come in a heap, or from a clock that is faster than
 * ours, all that follows lies there as long: nothing ever empties the queue but a schedule that
 * catches up with it. Owned by the output path.
 *
 * <p>What can be spared is the least that any packet of a second has waited, but for a reserve that
 * hides the source's jitter: the cushion that was asked for, or more. Whenever that was too little
 * and silence had to fill in, the reserve is doubled; of what was never used of it for a while,
 * half is taken back.
 */
final class CatchUp {
    /** How far the schedule moves with one packet, as receivers take for jitter. */
    static final long STEP_NANOS = 2_500_000L;

    /** What is shorter than this has no room for a step. */
    private static final long SHORTEST_PACKET_NANOS = 4 * STEP_NANOS;

    private static final long WINDOW_NANOS = 1_000_000_000L;

    /** The first after silence had to fill in for speech that is known to come in real time. */
    private static final long WINDOW_AFTER_GAP_NANOS = 200_000_000L;

    /** What then comes in a heap has waited less than all that follows will. */
    private static final long HEAP_NANOS = 100_000_000L;

    /** Who speaks ahead of time is ahead when this much is said; at first nobody is. */
    private static final long BEGINNING_NANOS = 500_000_000L;

    private static final long LEAST_RESERVE_NANOS = 5_000_000L;

    /** Windows without a gap that tell how much of the reserve is used. */
    private static final int CALM_WINDOWS = 10;

    private final long liveNanos;
    private final long leastReserveNanos;
    private long reserveNanos;
    private long leastNanos = Long.MAX_VALUE;
    private long seenNanos = -BEGINNING_NANOS;
    private long windowNanos = WINDOW_NANOS;
    private int calmWindows;
    private long unusedNanos = Long.MAX_VALUE;
    private int steps;
    private boolean live;

    /**
     * @param liveNanos speech that always waits longer than this is not spoken in real time but
     *     ahead of it, and keeps its time; 0 to have all of it do so
     * @param cushionNanos what speech should wait at least, for its source's jitter
     */
    CatchUp(long liveNanos, long cushionNanos) {
        this.liveNanos = liveNanos;
        this.leastReserveNanos = Math.max(LEAST_RESERVE_NANOS, cushionNanos);
        this.reserveNanos = leastReserveNanos;
    }

    /** Speech begins after silence. */
    void begin() {
        leastNanos = Long.MAX_VALUE;
        seenNanos = -BEGINNING_NANOS;
        windowNanos = WINDOW_NANOS;
        steps = 0;
    }

    /**
     * Speech goes on after silence had to fill in for what came too late.
     *
     * @param ours whether a late turn of our own held it up, from which the source's jitter is not
     *     to be learnt
     */
    void resume(boolean ours) {
        boolean tooLate = live || leastNanos <= liveNanos;
        begin();
        if (!tooLate) {
            return;
        }
        seenNanos = -HEAP_NANOS;
        windowNanos = WINDOW_AFTER_GAP_NANOS;
        if (!ours) {
            beCalm();
            reserveNanos = Math.max(reserveNanos, Math.min(2 * reserveNanos, liveNanos));
        }
    }

    /**
     * A packet of speech leaves. Answers how much sooner than after its length the next one can be
     * due.
     *
     * @param waitedNanos from its coming to when it was due; negative when it came later
     */
    long left(long waitedNanos, long lengthNanos) {
        seenNanos += lengthNanos;
        if (seenNanos > 0) {
            leastNanos = Math.min(leastNanos, waitedNanos);
        }
        if (seenNanos >= windowNanos) {
            live = leastNanos <= liveNanos;
            steps = live ? Math.max(0, steps(leastNanos - reserveNanos)) : 0;
            if (live) {
                calmDown(leastNanos);
            }
            leastNanos = Long.MAX_VALUE;
            seenNanos = 0;
            windowNanos = WINDOW_NANOS;
        }
        if (steps == 0 || lengthNanos < SHORTEST_PACKET_NANOS) {
            return 0;
        }
        steps--;
        return STEP_NANOS;
    }

    private static int steps(long nanos) {
        return (int) (nanos / STEP_NANOS);
    }

    private void calmDown(long waitedNanos) {
        unusedNanos = Math.min(unusedNanos, waitedNanos - leastReserveNanos);
        calmWindows++;
        if (calmWindows >= CALM_WINDOWS) {
            long spare = Math.min(unusedNanos, reserveNanos - leastReserveNanos) / 2;
            reserveNanos -= Math.max(0, spare);
            beCalm();
        }
    }

    private void beCalm() {
        calmWindows = 0;
        unusedNanos = Long.MAX_VALUE;
    }
}
