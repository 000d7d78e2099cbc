package dev.parley.relay;

/**
 * How many flows may be taken up again on a transceiver's word alone: only within one flow timeout
 * of the relay's start, and only so many a second, so that a rogue transceiver cannot use the relay
 * to reach strangers. Owned by a worker.
 */
final class RecoveryBudget {
    private final PerSecond recoveries;
    private final long flowTimeoutNanos;
    private long endNanos;

    RecoveryBudget(int perSecond, long startNanos, long flowTimeoutNanos) {
        this.recoveries = new PerSecond(perSecond, startNanos);
        this.flowTimeoutNanos = flowTimeoutNanos;
        restart(startNanos);
    }

    /** The relay starts, or starts again. */
    void restart(long nowNanos) {
        endNanos = nowNanos + flowTimeoutNanos;
    }

    boolean isOver(long nowNanos) {
        return endNanos - nowNanos <= 0;
    }

    /** Takes one; false when this second's are used up. */
    boolean take(long nowNanos) {
        return recoveries.take(nowNanos);
    }
}
