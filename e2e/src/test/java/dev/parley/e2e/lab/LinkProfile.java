package dev.parley.e2e.lab;

/**
 * What one direction of a link does to each packet, in the terms of {@code tc netem}. Probabilities
 * are from 0 to 1.
 *
 * @param delayNanos time on the way
 * @param jitterNanos most that is added to or taken from it, evenly spread and anew for each
 *     packet, so that packets overtake each other
 * @param loss probability that a packet is lost on its own
 * @param burst probability that with this packet everything begins to be lost
 * @param burstLength how many packets such a burst takes on average
 * @param reorder probability that a packet is not delayed at all and so overtakes those before it
 * @param duplicate probability that it arrives twice
 * @param corrupt probability that one bit of a UDP payload arrives flipped, unseen by its checksum
 * @param bitsPerSecond rate of the link, 0 for no limit; packets queue for it
 * @param queueNanos longest time in that queue, whatever would wait longer is lost
 */
public record LinkProfile(
        long delayNanos,
        long jitterNanos,
        double loss,
        double burst,
        double burstLength,
        double reorder,
        double duplicate,
        double corrupt,
        long bitsPerSecond,
        long queueNanos) {
    private static final long MILLISECOND = 1_000_000L;

    /** Does nothing to packets. */
    public static final LinkProfile CLEAR = new LinkProfile(0, 0, 0, 0, 1, 0, 0, 0, 0, 0);

    /** Lets nothing through. */
    public static final LinkProfile CUT = CLEAR.loss(1);

    public LinkProfile delay(long millis, long jitterMillis) {
        if (jitterMillis > millis) {
            throw new IllegalArgumentException("jitter of more than the delay");
        }
        return new LinkProfile(
                millis * MILLISECOND,
                jitterMillis * MILLISECOND,
                loss,
                burst,
                burstLength,
                reorder,
                duplicate,
                corrupt,
                bitsPerSecond,
                queueNanos);
    }

    public LinkProfile loss(double probability) {
        return new LinkProfile(
                delayNanos,
                jitterNanos,
                probability,
                burst,
                burstLength,
                reorder,
                duplicate,
                corrupt,
                bitsPerSecond,
                queueNanos);
    }

    public LinkProfile bursts(double probability, double length) {
        return new LinkProfile(
                delayNanos,
                jitterNanos,
                loss,
                probability,
                length,
                reorder,
                duplicate,
                corrupt,
                bitsPerSecond,
                queueNanos);
    }

    public LinkProfile reorder(double probability) {
        return new LinkProfile(
                delayNanos,
                jitterNanos,
                loss,
                burst,
                burstLength,
                probability,
                duplicate,
                corrupt,
                bitsPerSecond,
                queueNanos);
    }

    public LinkProfile duplicate(double probability) {
        return new LinkProfile(
                delayNanos,
                jitterNanos,
                loss,
                burst,
                burstLength,
                reorder,
                probability,
                corrupt,
                bitsPerSecond,
                queueNanos);
    }

    public LinkProfile corrupt(double probability) {
        return new LinkProfile(
                delayNanos,
                jitterNanos,
                loss,
                burst,
                burstLength,
                reorder,
                duplicate,
                probability,
                bitsPerSecond,
                queueNanos);
    }

    public LinkProfile rate(long newBitsPerSecond, long queueMillis) {
        return new LinkProfile(
                delayNanos,
                jitterNanos,
                loss,
                burst,
                burstLength,
                reorder,
                duplicate,
                corrupt,
                newBitsPerSecond,
                queueMillis * MILLISECOND);
    }
}
