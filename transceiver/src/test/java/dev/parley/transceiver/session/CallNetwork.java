package dev.parley.transceiver.session;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * The network of a simulated call in virtual time: loses (at random and in bursts), delays, lets
 * overtake, doubles and damages datagrams, or lets nothing through. What it does follows from its
 * seed and from when it is asked. One thread runs it.
 */
final class CallNetwork {
    /** Takes a datagram where it arrives. */
    interface Arrival {
        void at(byte[] datagram);
    }

    /**
     * What the network does to each datagram. Reordering comes from the jitter.
     *
     * @param loss probability that one is lost outside a burst
     * @param burst probability that a burst of losses begins with it; bursts last 5 datagrams on
     *     average, and half a second at most
     */
    record Weather(
            double loss,
            double burst,
            double duplication,
            double corruption,
            long delayMillis,
            long jitterMillis) {
        static final Weather CLEAR = new Weather(0, 0, 0, 0, 20, 0);

        boolean isLossless() {
            return loss == 0 && burst == 0 && corruption == 0;
        }

        /** The longest that a datagram which arrives is on its way. */
        long latestNanos() {
            return (delayMillis + jitterMillis) * MILLI;
        }
    }

    private record Event(long at, long order, Runnable action) {}

    private static final long MILLI = 1_000_000L;
    private static final double BURST_END = 0.2;
    private static final long MAX_BURST_NANOS = 500 * MILLI;

    // Time may overflow: deadlines compare as differences.
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    (a, b) ->
                            a.at == b.at
                                    ? Long.compare(a.order, b.order)
                                    : Long.signum(a.at - b.at));
    private SplittableRandom random;
    private Weather weather = Weather.CLEAR;
    private boolean cut;
    private boolean bursting;
    private long burstEndNanos;
    private long order;

    CallNetwork(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Begins its random numbers anew, so that what follows depends on nothing before. */
    void reseed(long seed) {
        random = new SplittableRandom(seed);
        bursting = false;
    }

    /** What happens to datagrams from now on; those under way are past it. */
    void weather(Weather next) {
        weather = next;
        bursting = false;
    }

    Weather weather() {
        return weather;
    }

    /** Whether nothing comes through. */
    void cut(boolean isCut) {
        cut = isCut;
    }

    boolean isCut() {
        return cut;
    }

    /** Sends a datagram that arrives never, once or twice. */
    void send(byte[] datagram, long nowNanos, Arrival arrival) {
        boolean goesOn = bursting;
        bursting = random.nextDouble() < (goesOn ? 1 - BURST_END : weather.burst);
        if (bursting && !goesOn) {
            burstEndNanos = nowNanos + MAX_BURST_NANOS;
        }
        // Else the burst that swallows one hello lasts until the next, and that one's, and so on.
        bursting &= nowNanos - burstEndNanos < 0;
        if (cut || bursting || random.nextDouble() < weather.loss) {
            return;
        }
        int copies = random.nextDouble() < weather.duplication ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            byte[] copy = datagram.clone();
            if (random.nextDouble() < weather.corruption) {
                copy[random.nextInt(copy.length)] ^= (byte) (1 << random.nextInt(8));
            }
            long jitter = random.nextLong(weather.jitterMillis * MILLI + 1);
            events.add(
                    new Event(
                            nowNanos + weather.delayMillis * MILLI + jitter,
                            order++,
                            () -> arrival.at(copy)));
        }
    }

    /** Delivers what is due. */
    void advanceTo(long nowNanos) {
        while (!events.isEmpty() && events.peek().at - nowNanos <= 0) {
            events.remove().action.run();
        }
    }
}
