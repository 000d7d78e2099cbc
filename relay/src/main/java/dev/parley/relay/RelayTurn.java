package dev.parley.relay;

import dev.parley.runtime.udp.UdpPoller;

/**
 * One turn of a worker's loop with the clock and the wait around it. A class of its own so that the
 * warm-up practises exactly what the loop runs. One thread calls it.
 */
final class RelayTurn {
    /** One turn in so many has its duration measured. */
    private static final int SAMPLING = 64;

    private final UdpPoller poller;
    private final RelayWorker worker;
    private final RelayCounters counters;
    private final long waitNanos;
    private int untilSample = SAMPLING;

    /**
     * A turn.
     *
     * @param busy whether to look for datagrams without ever waiting
     */
    RelayTurn(UdpPoller poller, RelayWorker worker, RelayCounters counters, boolean busy) {
        this.poller = poller;
        this.worker = worker;
        this.counters = counters;
        this.waitNanos = busy ? 0 : Long.MAX_VALUE;
    }

    /** Handles what waits, then waits for more. */
    void run(long nowNanos) {
        int handled = worker.runOnce(nowNanos);
        if (handled > 0 && --untilSample == 0) {
            counters.forwardTime(System.nanoTime() - nowNanos);
            untilSample = SAMPLING;
        }
        poller.await(waitNanos);
    }
}
