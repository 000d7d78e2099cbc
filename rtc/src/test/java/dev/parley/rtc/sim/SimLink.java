package dev.parley.rtc.sim;

/**
 * What the simulated network does to each datagram. Reordering comes from the jitter.
 *
 * @param loss probability that it is lost
 * @param duplication probability that it arrives twice
 * @param corruption probability that one of its bits arrives flipped
 * @param delayNanos shortest time on the way
 * @param jitterNanos most that is added to it, evenly spread
 */
public record SimLink(
        double loss, double duplication, double corruption, long delayNanos, long jitterNanos) {
    private static final long MILLISECOND = 1_000_000L;

    public static final SimLink PERFECT = new SimLink(0, 0, 0, MILLISECOND, 0);

    /** A mobile network on a bad day. */
    public static final SimLink ROUGH =
            new SimLink(0.1, 0.1, 0.03, 60 * MILLISECOND, 120 * MILLISECOND);

    /** Nothing comes through. */
    public static final SimLink CUT = new SimLink(1, 0, 0, 0, 0);
}
