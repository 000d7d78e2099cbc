package dev.parley.transceiver.inference;

/**
 * The time in which a call has no stream. Breaks that follow one another within the time that a
 * call may take to go on are one outage, so that a backend that accepts and fails without end does
 * not keep a call for ever. Guarded by the call's link.
 */
final class Outage {
    private static final long MIN_BACKOFF_MILLIS = 100;
    private static final long MAX_BACKOFF_MILLIS = 500;

    private final long timeoutNanos;
    private boolean begun;
    private long beganNanos;
    private int failures;

    /**
     * @param timeoutNanos how long one may last
     */
    Outage(long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
    }

    /** The stream broke; answers whether this is the beginning of an outage. */
    boolean begin(long nowNanos) {
        boolean fresh = !begun || nowNanos - beganNanos >= timeoutNanos;
        if (fresh) {
            begun = true;
            beganNanos = nowNanos;
            failures = 0;
        }
        return fresh;
    }

    /** When it began. */
    long beganNanos() {
        return beganNanos;
    }

    /** How long to wait before everybody is asked again; more each time. */
    long backoffMillis() {
        long wait = MIN_BACKOFF_MILLIS << Math.min(failures, 3);
        failures++;
        return Math.min(wait, MAX_BACKOFF_MILLIS);
    }
}
