package dev.parley.rtc.ice;

import dev.parley.rtc.stun.StunReader;
import java.util.random.RandomGenerator;

/**
 * When a session sends its own check along a path, and which answer fits it: only who receives what
 * is sent there knows the transaction. Owned by the path's {@link IcePair}.
 *
 * <p>All requests of it are one transaction, so that any answer counts however long it was on its
 * way. A few go out with growing pauses; after that one goes with each further check of the client,
 * for as long as it makes any.
 */
final class ReturnCheck {
    /** At 0, 0.25, 0.75, 1.75 and 3.75 seconds. */
    static final int TIMED_REQUESTS = 5;

    /**
     * RFC 8445 14.3 says 500 ms at least; but here a caller hears nothing until the answer is
     * there, and five requests of 150 bytes congest no network.
     */
    private static final long FIRST_RTO_NANOS = 250_000_000L;

    /** RFC 8445 14.2: Ta, the pace of checks. */
    private static final long MIN_INTERVAL_NANOS = 50_000_000L;

    private final int idHigh;
    private final long idLow;
    private int requestsLeft = TIMED_REQUESTS;
    private long rtoNanos = FIRST_RTO_NANOS;
    private long earliestNanos;
    private long dueNanos;

    /** Due at once. */
    ReturnCheck(RandomGenerator random, long nowNanos) {
        // RFC 8489 6: "uniformly and randomly chosen", and here by a generator nobody can guess.
        idHigh = random.nextInt();
        idLow = random.nextLong();
        earliestNanos = nowNanos;
        dueNanos = nowNanos;
    }

    int idHigh() {
        return idHigh;
    }

    long idLow() {
        return idLow;
    }

    /** The client has made another check. */
    void again(long nowNanos) {
        long next = earliestNanos - nowNanos > 0 ? earliestNanos : nowNanos;
        if (requestsLeft == 0) {
            requestsLeft = 1;
            dueNanos = next;
        } else if (next - dueNanos < 0) {
            dueNanos = next;
        }
    }

    boolean isDue(long nowNanos) {
        return requestsLeft > 0 && dueNanos - nowNanos <= 0;
    }

    long deadlineNanos(long nowNanos) {
        return requestsLeft > 0 ? dueNanos : nowNanos + Long.MAX_VALUE;
    }

    /** A request has had its turn. */
    void requested(long nowNanos) {
        requestsLeft--;
        earliestNanos = nowNanos + MIN_INTERVAL_NANOS;
        dueNanos = nowNanos + rtoNanos;
        rtoNanos *= 2;
    }

    boolean isAnsweredBy(StunReader message) {
        return message.transactionIdHigh() == idHigh && message.transactionIdLow() == idLow;
    }
}
