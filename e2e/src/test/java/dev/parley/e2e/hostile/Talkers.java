package dev.parley.e2e.hostile;

import dev.parley.bench.signaling.BenchCall;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Calls that go on with the echo, whose audio is timed in turns: their threads meet at a barrier
 * before and after each. Owned by one drill.
 */
final class Talkers implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long RETRY_MILLIS = 200;

    /**
     * What a turn showed.
     *
     * @param roundTrips in microseconds, of packets that came back
     * @param seconds that it lasted
     */
    record Heard(Histogram roundTrips, long lost, double seconds) {
        double millis(double percentile) {
            return roundTrips.getValueAtPercentile(percentile) / 1e3;
        }

        double lossPercent() {
            return spoken() == 0 ? 100 : lost * 100.0 / spoken();
        }

        /** Packets that left in a second; fewer when this machine left callers no time to speak. */
        double spokenPerSecond() {
            return spoken() / seconds;
        }

        private long spoken() {
            return roundTrips.getTotalCount() + lost;
        }
    }

    private final List<BenchCall> calls = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final CyclicBarrier barrier;
    private final AtomicBoolean talking = new AtomicBoolean();
    private volatile boolean closed;
    private final AtomicInteger broken = new AtomicInteger();
    private volatile Histogram roundTrips = new ConcurrentHistogram(3);
    private volatile LongAdder lost = new LongAdder();

    /** Starts so many calls. */
    Talkers(URI base, int count) throws IOException, InterruptedException {
        barrier = new CyclicBarrier(count + 1);
        for (int i = 0; i < count; i++) {
            calls.add(connect(base));
        }
        for (BenchCall call : calls) {
            threads.add(Thread.ofPlatform().name("talker").daemon().start(() -> talk(call)));
        }
    }

    // A transceiver that has just been started refuses callers while it has too much to do.
    private static BenchCall connect(URI base) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            BenchCall call = new BenchCall();
            try {
                call.connect(base, "echo", false, deadline);
                return call;
            } catch (IOException e) {
                call.close();
                if (deadline - System.nanoTime() < 0) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
            }
        }
    }

    /** One of them, for those who know its secrets or use its address. */
    BenchCall any() {
        return calls.getFirst();
    }

    private void talk(BenchCall call) {
        try {
            while (true) {
                barrier.await();
                if (closed) {
                    return;
                }
                try {
                    call.speakOn(talking::get, roundTrips, lost);
                } catch (IOException e) {
                    System.out.println("a call is broken: " + e.getMessage());
                    broken.incrementAndGet();
                }
                barrier.await();
            }
        } catch (InterruptedException | BrokenBarrierException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets all talk while something is done. */
    Heard during(Attack.Work work) throws Exception {
        roundTrips = new ConcurrentHistogram(3);
        lost = new LongAdder();
        talking.set(true);
        long start = System.nanoTime();
        barrier.await();
        long end = start;
        try {
            work.run();
        } finally {
            end = System.nanoTime();
            talking.set(false);
            barrier.await();
        }
        return new Heard(roundTrips, lost.sum(), (end - start) / 1e9);
    }

    /** Calls that broke down. */
    int broken() {
        return broken.get();
    }

    @Override
    public void close() {
        closed = true;
        try {
            barrier.await();
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException | BrokenBarrierException _) {
            Thread.currentThread().interrupt();
        }
        calls.forEach(BenchCall::close);
    }
}
