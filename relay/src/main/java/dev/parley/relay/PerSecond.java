package dev.parley.relay;

/** So many of something a second and no more. Owned by a worker. */
final class PerSecond {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final int limit;
    private long secondStartNanos;
    private int taken;

    PerSecond(int limit, long startNanos) {
        this.limit = limit;
        this.secondStartNanos = startNanos;
    }

    /** Takes one; false when this second's are used up. */
    boolean take(long nowNanos) {
        if (nowNanos - secondStartNanos >= NANOS_PER_SECOND) {
            secondStartNanos = nowNanos;
            taken = 0;
        }
        if (taken >= limit) {
            return false;
        }
        taken++;
        return true;
    }
}
