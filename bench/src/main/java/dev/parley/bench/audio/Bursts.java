package dev.parley.bench.audio;

import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Has agents speak as models do: a second or more at once, then nothing for a while, now and then
 * too little and 100 ms too late. One thread for all of them.
 */
final class Bursts implements AutoCloseable {
    private static final long TICK_MILLIS = 10;
    private static final int MIN_BURST = 25;
    private static final int MAX_BURST = 150;
    private static final int PACKETS_PER_SECOND = 50;

    private final List<Agent.Call> calls;
    private final long[] saidUntilNanos;
    private final long[] nextNanos;
    private final Random random = new Random(11);
    private final Thread thread = Thread.ofPlatform().name("bursts").unstarted(this::run);
    private volatile boolean stopped;
    private final AtomicLong said = new AtomicLong();

    private Bursts(List<Agent.Call> calls) {
        this.calls = List.copyOf(calls);
        this.saidUntilNanos = new long[calls.size()];
        this.nextNanos = new long[calls.size()];
    }

    static Bursts start(List<Agent.Call> calls) {
        Bursts bursts = new Bursts(calls);
        bursts.thread.start();
        return bursts;
    }

    /** Packets so far, of all calls. */
    long said() {
        return said.get();
    }

    private void run() {
        long now = System.nanoTime();
        for (int i = 0; i < nextNanos.length; i++) {
            // Not all at once.
            nextNanos[i] = now + random.nextLong(1_000_000_000L);
        }
        while (!stopped) {
            now = System.nanoTime();
            for (int i = 0; i < nextNanos.length; i++) {
                if (nextNanos[i] - now <= 0) {
                    burst(i, now);
                }
            }
            try {
                Thread.sleep(TICK_MILLIS);
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    private void burst(int i, long now) {
        int packets = random.nextInt(MIN_BURST, MAX_BURST);
        for (int k = 0; k < packets; k++) {
            calls.get(i).say("r", Agent.opus(80));
        }
        said.addAndGet(packets);
        long length = packets * (1_000_000_000L / PACKETS_PER_SECOND);
        saidUntilNanos[i] = Math.max(saidUntilNanos[i], now) + length;
        // Mostly in good time, each tenth time 100 ms too late.
        long slack = random.nextInt(10) == 0 ? 100_000_000L : -random.nextLong(length / 2);
        nextNanos[i] = saidUntilNanos[i] + slack;
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
