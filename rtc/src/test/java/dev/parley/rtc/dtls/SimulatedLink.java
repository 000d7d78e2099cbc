package dev.parley.rtc.dtls;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One end of an in-memory path between two peers, with the faults of a bad network. */
final class SimulatedLink implements DatagramLink {
    /** How often what goes wrong, 0 to 1 each. */
    record Faults(double loss, double duplication, double reordering, double corruption) {
        static final Faults NONE = new Faults(0, 0, 0, 0);
    }

    /** What happens to each datagram that is sent: changed, or dropped by answering null. */
    interface Filter {
        byte @Nullable [] apply(byte[] datagram);
    }

    private final LinkedBlockingQueue<byte[]> inbox = new LinkedBlockingQueue<>();
    private final Faults faults;
    private final Random random;
    private final AtomicInteger sent = new AtomicInteger();
    private @Nullable SimulatedLink peer;
    private byte @Nullable [] heldBack;
    private Filter filter = datagram -> datagram;
    private volatile int longestSent;
    private volatile int delayMillis;
    private volatile boolean fails;

    private SimulatedLink(Faults faults, Random random) {
        this.faults = faults;
        this.random = random;
    }

    /** Two ends of one path; the seed decides every fault. */
    static SimulatedLink[] pair(Faults faults, long seed) {
        var first = new SimulatedLink(faults, new Random(seed));
        var second = new SimulatedLink(faults, new Random(~seed));
        first.peer = second;
        second.peer = first;
        return new SimulatedLink[] {first, second};
    }

    /** Changes or, by null, drops what this end sends. */
    void filterSent(Filter filter) {
        this.filter = filter;
    }

    /** From now on what this end sends is under way for so long. */
    void delaySent(int millis) {
        delayMillis = millis;
    }

    /** Puts a datagram into this end's inbox, as if the peer had sent it. */
    void inject(byte[] datagram) {
        inbox.add(datagram);
    }

    /** The next attempt to receive fails, which Bouncy Castle answers with a fatal alert. */
    void failReceive() {
        fails = true;
        inbox.add(new byte[1]);
    }

    /** An empty datagram in the inbox says that the link is closed. */
    void closeLink() {
        inbox.add(new byte[0]);
    }

    int sentCount() {
        return sent.get();
    }

    int longestSent() {
        return longestSent;
    }

    @Override
    public int receive(byte[] buffer, int offset, int length, int waitMillis) {
        byte[] datagram;
        try {
            datagram =
                    waitMillis == 0 ? inbox.take() : inbox.poll(waitMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CLOSED;
        }
        if (datagram == null) {
            return TIMED_OUT;
        }
        if (datagram.length == 0) {
            return CLOSED;
        }
        if (fails) {
            throw new IllegalStateException("made to fail");
        }
        int received = Math.min(datagram.length, length);
        System.arraycopy(datagram, 0, buffer, offset, received);
        return received;
    }

    @Override
    public synchronized void send(byte[] bytes, int offset, int length) {
        sent.incrementAndGet();
        longestSent = Math.max(longestSent, length);
        byte[] datagram = filter.apply(Arrays.copyOfRange(bytes, offset, offset + length));
        if (datagram == null || random.nextDouble() < faults.loss()) {
            return;
        }
        if (random.nextDouble() < faults.corruption()) {
            datagram[random.nextInt(datagram.length)] ^= (byte) (1 << random.nextInt(8));
        }
        byte[] delayed = heldBack;
        heldBack = null;
        if (delayed == null && random.nextDouble() < faults.reordering()) {
            heldBack = datagram;
            return;
        }
        deliver(datagram);
        if (random.nextDouble() < faults.duplication()) {
            deliver(datagram);
        }
        if (delayed != null) {
            deliver(delayed);
        }
    }

    private void deliver(byte[] datagram) {
        SimulatedLink to = peer;
        if (to == null) {
            return;
        }
        byte[] copy = datagram.clone();
        if (delayMillis == 0) {
            to.inject(copy);
        } else {
            CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS)
                    .execute(() -> to.inject(copy));
        }
    }
}
