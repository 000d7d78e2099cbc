package dev.parley.relay;

import dev.parley.runtime.load.LoopPulse;
import dev.parley.runtime.udp.UdpPoller;

/**
 * One turn of a worker's loop with the clock and the wait around it. A class of its own so that the
 * warm-up practises exactly what the loop runs. One thread calls it; any may stop it.
 *
 * <p>All that a worker times is coarse, while reading the clock costs more than a packet's own
 * code. So turns in a row share one reading; after a turn without datagrams, of which the poller's
 * timer makes several a second, the clock is read again.
 */
final class RelayTurn {
    /** One turn in so many has its duration measured. */
    private static final int SAMPLING = 64;

    private static final int TURNS_PER_READING = 16;

    private final UdpPoller poller;
    private final RelayWorker worker;
    private final RelayCounters counters;
    private final long waitNanos;
    private final long speed;
    private final LoopPulse pulse = new LoopPulse();
    private long nowNanos;
    private int untilReading;
    private int untilSample = SAMPLING;
    private volatile boolean stopped;

    /**
     * A turn.
     *
     * @param busy whether to look for datagrams without ever waiting
     * @param speed how many times faster than the clock the worker's time runs
     */
    RelayTurn(
            UdpPoller poller,
            RelayWorker worker,
            RelayCounters counters,
            boolean busy,
            long speed) {
        this.poller = poller;
        this.worker = worker;
        this.counters = counters;
        this.waitNanos = busy ? 0 : Long.MAX_VALUE;
        this.speed = speed;
    }

    /** Handles what waits, then waits for more; false when it is to be the last one. */
    boolean run() {
        boolean sampled = untilSample == 0;
        if (sampled || untilReading == 0) {
            nowNanos = clock();
            untilReading = TURNS_PER_READING;
        }
        pulse.begin();
        int handled = worker.runOnce(nowNanos);
        if (handled == 0 || worker.isHolding()) {
            untilReading = 0;
        } else {
            untilReading--;
            sample(sampled);
        }
        pulse.end();
        poller.await(waitNanos);
        return !stopped;
    }

    private void sample(boolean due) {
        if (due) {
            long took = clock() - nowNanos;
            counters.forwardTime(took);
            counters.busy(took * SAMPLING);
            untilSample = SAMPLING;
        }
        untilSample--;
    }

    private long clock() {
        return System.nanoTime() * speed;
    }

    /** Where its turns can be seen. */
    LoopPulse pulse() {
        return pulse;
    }

    /** Lets turns follow again after {@link #stop}. */
    void goOn() {
        untilReading = 0;
        stopped = false;
    }

    /** Makes the next turn the last one. */
    void stop() {
        stopped = true;
    }
}
