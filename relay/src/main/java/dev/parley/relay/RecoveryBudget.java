package dev.parley.relay;

/**
 * How many flows may be taken up again on a transceiver's word alone: only within one flow timeout
 * of the relay's start, and only so many a second, so that a rogue transceiver cannot use the relay
 * to reach strangers. Owned by a worker.
 */
final class RecoveryBudget {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final int perSecond;
    private final long endNanos;
    private long secondStartNanos;
    private int takenThisSecond;

    RecoveryBudget(int perSecond, long startNanos, long flowTimeoutNanos) {
        this.perSecond = perSecond;
        this.endNanos = startNanos + flowTimeoutNanos;
        this.secondStartNanos = startNanos;
    }

    boolean isOver(long nowNanos) {
        return endNanos - nowNanos <= 0;
    }

    /** Takes one; false when this second's are used up. */
    boolean take(long nowNanos) {
        if (nowNanos - secondStartNanos >= NANOS_PER_SECOND) {
            secondStartNanos = nowNanos;
            takenThisSecond = 0;
        }
        if (takenThisSecond >= perSecond) {
            return false;
        }
        takenThisSecond++;
        return true;
    }
}
