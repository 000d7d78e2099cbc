package dev.parley.relay;

import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs one worker on a virtual thread of its own until it is closed, and owns the worker's sockets.
 *
 * <p>The thread blocks in {@link UdpPoller#await} and with a native poller so keeps its carrier:
 * that is the reader locked to a thread, and it costs half of what parking costs. The JDK does not
 * replace a carrier held that way, so {@code jdk.virtualThreadScheduler.parallelism} must exceed
 * the number of such loops in the process, or no other virtual thread ever runs.
 */
final class RelayLoop implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(RelayLoop.class.getName());

    // Timers are coarse; while no datagram comes they still turn.
    private static final long IDLE_NANOS = Duration.ofMillis(100).toNanos();
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(3);

    private final UdpPoller poller;
    private final List<UdpPort> publicPorts;
    private final UdpPort upstreamPort;
    private final RelayWorker worker;
    private final RelayCounters counters;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean closing;

    RelayLoop(
            UdpPoller poller,
            List<UdpPort> publicPorts,
            UdpPort upstreamPort,
            RelayWorker worker,
            RelayCounters counters) {
        this.poller = poller;
        this.publicPorts = publicPorts;
        this.upstreamPort = upstreamPort;
        this.worker = worker;
        this.counters = counters;
    }

    /** Starts the thread. */
    void start(int index) {
        var _ = Thread.ofVirtual().name("relay-" + index).start(this::run);
    }

    private void run() {
        try {
            while (!closing) {
                var _ = worker.runOnce(System.nanoTime());
                poller.await(IDLE_NANOS);
            }
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "relay worker failed, its clients are cut off", e);
        } finally {
            stopped.countDown();
        }
    }

    List<UdpPort> publicPorts() {
        return publicPorts;
    }

    UdpPort upstreamPort() {
        return upstreamPort;
    }

    RelayCounters counters() {
        return counters;
    }

    /** Closes the sockets of a loop that was never started. */
    void abandon() {
        poller.close();
    }

    /** Stops the thread and closes the sockets; a thread that does not stop loses them anyway. */
    @Override
    public void close() {
        closing = true;
        poller.wakeup();
        try {
            if (!stopped.await(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.log(System.Logger.Level.WARNING, "relay worker did not stop in time");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        poller.close();
    }
}
