package dev.parley.relay;

import dev.parley.rtc.route.RouteKeys;
import dev.parley.runtime.load.LoopPulse;
import dev.parley.runtime.udp.CoreAffinity;
import dev.parley.runtime.udp.LoopThreads;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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

    // Draining ends when nothing has come for a while, or when it takes too long.
    private static final long QUIET_NANOS = Duration.ofMillis(5).toNanos();
    private static final long DRAIN_NANOS = Duration.ofMillis(500).toNanos();
    private static final long LOOK_NANOS = Duration.ofMillis(1).toNanos();

    private final UdpPoller poller;
    private final List<UdpPort> publicPorts;
    private final UdpPort upstreamPort;
    private final @Nullable UdpPort legPort;
    private final Legs legs;
    private final RelayCounters counters;
    private final RelayWorker worker;
    private final RelayTurn turn;
    private final @Nullable Integer core;
    private volatile CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean pausing;
    private volatile boolean leaving;
    private volatile boolean failed;
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
            @Nullable UdpPort legPort,
            Legs legs,
            RelayWorker worker,
            RelayCounters counters,
            boolean busy,
            @Nullable Integer core) {
        this.poller = poller;
        this.publicPorts = publicPorts;
        this.upstreamPort = upstreamPort;
        this.legPort = legPort;
        this.legs = legs;
        this.counters = counters;
        this.worker = worker;
        this.turn = new RelayTurn(poller, worker, counters, busy, 1);
        this.core = core;
    }

    /** Opens tokens by these keys from now on. Any thread. */
    void useKeys(RouteKeys keys) {
        worker.useKeys(keys);
    }

    /** Starts the thread. */
    void start(ThreadFactory threads) {
        threads.newThread(this::run).start();
    }

    /** Stops the thread and keeps the sockets, so that another process may read them. */
    void pause() {
        pausing = true;
        stopThread();
        counters.flows(0);
    }

    /** Starts the thread of a paused loop again. */
    void resume(ThreadFactory threads) {
        worker.resume(System.nanoTime());
        stopped = new CountDownLatch(1);
        pausing = false;
        turn.goOn();
        start(threads);
    }

    /** Whether the thread has ended though nobody asked it to. */
    boolean hasFailed() {
        return failed;
    }

    /** The flows of a paused loop, for another process. */
    ByteBuffer exportFlows() {
        return worker.exportFlows(System.nanoTime());
    }

    /**
     * Its sockets as another process may have them: the public ones, the one towards transceivers,
     * and the one towards other clusters if there is any.
     */
    int[] descriptors() {
        return Stream.of(publicPorts.stream(), Stream.of(upstreamPort), Stream.ofNullable(legPort))
                .flatMap(ports -> ports)
                .mapToInt(UdpPort::descriptor)
                .toArray();
    }

    private void run() {
        CoreAffinity affinity = null;
        try {
            affinity = pin();
            poller.wakeEvery(IDLE_NANOS);
            while (turn.run()) {
                // Each turn waits for datagrams itself.
            }
            if (leaving) {
                drain();
            }
        } catch (RuntimeException | Error e) {
            failed = true;
            LOG.log(System.Logger.Level.ERROR, "relay worker failed, its clients are cut off", e);
        } finally {
            // Otherwise the kernel goes on giving clients to a socket that nobody reads.
            if (!pausing || failed) {
                release();
            }
            if (affinity != null) {
                affinity.close();
            }
            stopped.countDown();
        }
    }

    // What waits in a socket dies with it. So the sockets leave their addresses first, in the order
    // of the flow from clients, and go when nothing comes out of them any more.
    private void drain() {
        publicPorts.forEach(UdpPort::leave);
        finish();
        upstreamPort.leave();
        if (legPort != null) {
            legPort.leave();
        }
        finish();
    }

    private void finish() {
        long start = System.nanoTime();
        long last = start;
        long now = start;
        while (now - last < QUIET_NANOS && now - start < DRAIN_NANOS) {
            if (worker.runOnce(now) > 0) {
                last = now;
            }
            poller.await(LOOK_NANOS);
            now = System.nanoTime();
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

    /** The socket towards other clusters' relays, null when there is none. */
    @Nullable UdpPort findLegPort() {
        return legPort;
    }

    Legs legs() {
        return legs;
    }

    RelayCounters counters() {
        return counters;
    }

    /** Where its turns can be seen. */
    LoopPulse pulse() {
        return turn.pulse();
    }

    FlowNotices notices() {
        return worker.notices();
    }

    /** Closes the sockets of a loop that was never started. */
    void abandon() {
        release();
    }

    /** Forwards what waits, then as {@link #close}; for sockets that no other process reads. */
    void leave() {
        leaving = true;
        close();
    }

    /** Stops the thread and closes the sockets; a thread that does not stop loses them anyway. */
    @Override
    public void close() {
        if (!pausing) {
            stopThread();
        }
        release();
    }

    private void stopThread() {
        turn.stop();
        wakeUp();
        try {
            if (!stopped.await(STOP_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                LOG.log(System.Logger.Level.WARNING, "relay worker did not stop in time");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
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
