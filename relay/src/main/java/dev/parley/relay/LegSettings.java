package dev.parley.relay;

/**
 * The numbers that legs are made with.
 *
 * @param clusterId of this relay
 * @param toleranceSeconds by how much clocks of the fleet may differ, and so how old a packet may
 *     be
 * @param timeoutNanos after which a way without an answer is given up
 * @param flowTimeoutNanos how long a flow lives without a packet
 */
record LegSettings(int clusterId, int toleranceSeconds, long timeoutNanos, long flowTimeoutNanos) {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    static final LegSettings NONE = new LegSettings(0, 0, 1, 0);

    /** How long a silent sender is remembered. */
    long forgetNanos() {
        return Math.max(flowTimeoutNanos, 2L * toleranceSeconds * NANOS_PER_SECOND)
                + NANOS_PER_SECOND;
    }
}
