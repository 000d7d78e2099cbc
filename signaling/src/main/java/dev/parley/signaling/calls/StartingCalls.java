package dev.parley.signaling.calls;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Calls that wait for a transceiver, and it for their model: so many at a time, whichever protocol
 * they came by. Who has not shown an offer and a credential takes no place. Any thread may start
 * one.
 */
public final class StartingCalls {
    private final int max;
    private final AtomicInteger starting = new AtomicInteger();
    private final LongAdder refused = new LongAdder();

    /**
     * @param max at a time
     */
    public StartingCalls(int max) {
        this.max = max;
    }

    /**
     * Starts a call, if there is a place for it.
     *
     * @throws dev.parley.signaling.http.RefusedException when there is none
     */
    <T> T count(Supplier<T> start) {
        try {
            if (starting.incrementAndGet() > max) {
                refused.increment();
                throw Admission.overloaded();
            }
            return start.get();
        } finally {
            starting.decrementAndGet();
        }
    }

    /** Calls that found no place. */
    long refused() {
        return refused.sum();
    }
}
