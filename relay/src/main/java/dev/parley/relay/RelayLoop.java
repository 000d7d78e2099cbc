package dev.parley.relay;

import dev.parley.runtime.udp.CoreAffinity;
import dev.parley.runtime.udp.LoopThreads;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs one worker on a thread of its own until it is closed, and owns the worker's sockets.
 *
 * <p>The thread is virtual and blocks in {@link UdpPoller#await}, where a batched poller keeps its
 * carrier: that is the reader locked to a thread, and it costs half of what parking costs. The JDK
 * does not replace a carrier held that way; see {@link LoopThreads}.
 */
final class RelayLoop implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(RelayLoop.class.getName());

    // Timers are coarse; while no datagram comes they still turn.
    private static final long IDLE_NANOS = Duration.ofMillis(100).toNanos();
    private static final long STOP_PATIENCE_SECONDS = 3;

    private final UdpPoller poller;
    private final List<UdpPort> publicPorts;
    private final UdpPort upstreamPort;
    private final RelayCounters counters;
    private final RelayTurn turn;
    private final @Nullable Integer core;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private boolean released;

    /**
     * A loop that is not started yet.
     *
     * @param busy whether to look for datagrams without ever waiting
     * @param core the core to stay on, null for any
     */
    RelayLoop(
            UdpPoller poller,
            List<UdpPort> publicPorts,
            UdpPort upstreamPort,
            RelayWorker worker,
            RelayCounters counters,
            boolean busy,
            @Nullable Integer core) {
        this.poller = poller;
        this.publicPorts = publicPorts;
        this.upstreamPort = upstreamPort;
        this.counters = counters;
        this.turn = new RelayTurn(poller, worker, counters, busy, 1);
        this.core = core;
    }

    /** Starts the thread. */
    void start(ThreadFactory threads) {
        threads.newThread(this::run).start();
    }

    private void run() {
        CoreAffinity affinity = null;
        try {
            affinity = pin();
            poller.wakeEvery(IDLE_NANOS);
            while (turn.run()) {
                // Each turn waits for datagrams itself.
            }
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "relay worker failed, its clients are cut off", e);
        } finally {
            // Otherwise the kernel goes on giving clients to a socket that nobody reads.
            release();
            if (affinity != null) {
                affinity.close();
            }
            stopped.countDown();
        }
    }

    private @Nullable CoreAffinity pin() {
        if (core == null) {
            return null;
        }
        try {
            return CoreAffinity.pin(core);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "worker_cores: cannot stay on core {0}: {1}; the worker runs on any",
                    core,
                    e.getMessage());
            return null;
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
        release();
    }

    /** Stops the thread and closes the sockets; a thread that does not stop loses them anyway. */
    @Override
    public void close() {
        turn.stop();
        wakeUp();
        try {
            if (!stopped.await(STOP_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                LOG.log(System.Logger.Level.WARNING, "relay worker did not stop in time");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        release();
    }

    // A poller that is closed twice, or woken after it is closed, could hit a stranger's
    // descriptor.
    private synchronized void release() {
        if (!released) {
            released = true;
            poller.close();
        }
    }

    /** Makes the thread look again; any thread may call it, also after the end. */
    synchronized void wakeUp() {
        if (!released) {
            poller.wakeup();
        }
    }
}
