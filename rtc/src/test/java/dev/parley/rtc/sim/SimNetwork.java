package dev.parley.rtc.sim;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A network, a clock and a scheduler in one: everything that happens in a run follows from its
 * seed. One thread runs it. Time begins shortly before {@code long} overflows, for deadlines must
 * compare as differences.
 */
public final class SimNetwork {
    /** Takes the datagrams that arrive at an address. */
    public interface Receiver {
        void receive(SimAddress from, byte[] datagram);
    }

    private record Event(long at, long order, Runnable action) {}

    private final SplittableRandom random;
    private final long startNanos = Math.subtractExact(Long.MAX_VALUE, 5_000_000_000L);
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    (a, b) -> {
                        int byTime = Long.signum(a.at - b.at);
                        return byTime != 0 ? byTime : Long.signum(a.order - b.order);
                    });
    private final Map<SimAddress, Receiver> receivers = new HashMap<>();
    private SimLink link;
    private long nowNanos = startNanos;
    private long order;

    public SimNetwork(long seed, SimLink link) {
        this.random = new SplittableRandom(seed);
        this.link = link;
    }

    /** Randomness for the parties of this run. */
    public SplittableRandom random() {
        return random;
    }

    public long nowNanos() {
        return nowNanos;
    }

    /** Time since the run began. */
    public long elapsedNanos() {
        return nowNanos - startNanos;
    }

    /** What happens to datagrams from now on; those under way are past it. */
    public void link(SimLink link) {
        this.link = link;
    }

    public void attach(SimAddress address, Receiver receiver) {
        receivers.put(address, receiver);
    }

    public void detach(SimAddress address) {
        receivers.remove(address);
    }

    /** Sends a datagram that arrives never, once or twice. */
    public void send(SimAddress from, SimAddress to, byte[] datagram) {
        if (random.nextDouble() < link.loss()) {
            return;
        }
        int copies = random.nextDouble() < link.duplication() ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            byte[] copy = datagram.clone();
            if (copy.length > 0 && random.nextDouble() < link.corruption()) {
                copy[random.nextInt(copy.length)] ^= (byte) (1 << random.nextInt(8));
            }
            long jitter = link.jitterNanos() == 0 ? 0 : random.nextLong(link.jitterNanos());
            at(nowNanos + link.delayNanos() + jitter, () -> deliver(from, to, copy));
        }
    }

    private void deliver(SimAddress from, SimAddress to, byte[] datagram) {
        Receiver receiver = receivers.get(to);
        if (receiver != null) {
            receiver.receive(from, datagram);
        }
    }

    /** Calls back at a time, or at once when that has passed. */
    public void at(long timeNanos, Runnable action) {
        long at = timeNanos - nowNanos > 0 ? timeNanos : nowNanos;
        events.add(new Event(at, order++, action));
    }

    /** Lets time pass. */
    public void run(long durationNanos) {
        long end = nowNanos + durationNanos;
        while (!events.isEmpty() && events.peek().at - end <= 0) {
            Event event = events.remove();
            nowNanos = event.at;
            event.action.run();
        }
        nowNanos = end;
    }
}
