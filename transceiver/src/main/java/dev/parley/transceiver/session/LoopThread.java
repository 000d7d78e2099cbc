package dev.parley.transceiver.session;

import dev.parley.runtime.load.LoopPulse;
import dev.parley.runtime.udp.UdpPoller;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The thread of one media loop, as {@link dev.parley.runtime.udp.LoopThreads} makes it: runs it,
 * and waits in its poller between.
 */
public final class LoopThread implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(LoopThread.class.getName());

    private static final long MAX_WAIT_NANOS = 1_000_000_000L;

    /** Half of a packet's time: longer turns are heard. */
    private static final long STALL_NANOS = 10_000_000L;

    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(2);

    private final MediaLoop loop;
    private final UdpPoller poller;
    private final LongSupplier clock;
    private final Runnable onDied;
    private final LongConsumer onStall;
    private final Gathering gathering;
    private final Thread thread;
    private final LoopPulse pulse = new LoopPulse();
    private volatile boolean stopped;

    /**
     * Starts it.
     *
     * @param threads makes its thread
     * @param poller of the loop's port; closed with it by the thread when it ends
     * @param clock monotonic nanoseconds
     * @param onDied told by the thread when a fault has ended it and the loop's sessions
     * @param onStall told how many nanoseconds a turn took that held packets up noticeably
     * @param gatherNanos how long packets may wait for others while there are many; 0 for not at
     *     all
     */
    public static LoopThread start(
            ThreadFactory threads,
            MediaLoop loop,
            UdpPoller poller,
            LongSupplier clock,
            Runnable onDied,
            LongConsumer onStall,
            long gatherNanos) {
        LoopThread started =
                new LoopThread(threads, loop, poller, clock, onDied, onStall, gatherNanos);
        started.thread.start();
        return started;
    }

    private LoopThread(
            ThreadFactory threads,
            MediaLoop loop,
            UdpPoller poller,
            LongSupplier clock,
            Runnable onDied,
            LongConsumer onStall,
            long gatherNanos) {
        this.gathering = new Gathering(gatherNanos, clock.getAsLong());
        this.onDied = onDied;
        this.onStall = onStall;
        this.loop = loop;
        this.poller = poller;
        this.clock = clock;
        this.thread = threads.newThread(this::run);
    }

    private void run() {
        try (UdpPoller closing = poller) {
            run(closing);
        }
    }

    private void run(UdpPoller open) {
        try {
            while (!stopped) {
                long began = clock.getAsLong();
                pulse.begin();
                int work = loop.runOnce(began);
                pulse.end();
                long ended = clock.getAsLong();
                LoopCounters.add(loop.counters().busyNanos, ended - began);
                if (ended - began >= STALL_NANOS) {
                    onStall.accept(ended - began);
                }
                gathering.worked(work, ended);
                long untilNext = loop.untilNext(ended, MAX_WAIT_NANOS);
                long pause = Math.min(untilNext, gathering.pauseNanos(began, ended));
                if (pause > 0) {
                    open.pause(pause);
                } else {
                    open.await(untilNext);
                }
            }
            var _ = loop.runOnce(clock.getAsLong());
        } catch (RuntimeException | Error e) {
            LOGGER.log(Level.ERROR, "a media loop died", e);
            try {
                loop.die();
            } finally {
                onDied.run();
            }
        }
    }

    /** Where its turns can be seen. */
    public LoopPulse pulse() {
        return pulse;
    }

    /** Stops the loop after one last turn and closes its socket. */
    @Override
    public void close() {
        stopped = true;
        poller.wakeup();
        try {
            if (!thread.join(JOIN_TIMEOUT)) {
                LOGGER.log(Level.WARNING, "a media loop does not stop");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
