package dev.parley.bench.audio;

import java.util.Random;

/** Which packets a network loses: each by itself, or in bursts (Gilbert's model). */
final class LossModel {
    /** Packets of a burst, on average. */
    private static final double BURST = 3;

    private final double share;
    private final boolean bursts;
    private final Random random;
    private boolean bad;

    /**
     * @param share of packets that are lost in the long run
     */
    LossModel(double share, boolean bursts, long seed) {
        this.share = share;
        this.bursts = bursts;
        this.random = new Random(seed);
    }

    /** Whether the next packet is lost. */
    boolean loses() {
        if (!bursts) {
            return random.nextDouble() < share;
        }
        // As often into the bad state as its share of time and its length want it.
        double enter = share / (1 - share) / BURST;
        bad = random.nextDouble() < (bad ? 1 - 1 / BURST : enter);
        return bad;
    }
}
