package dev.parley.relay;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/** What one worker has done so far. Its thread writes, any thread reads. */
final class RelayCounters {
    private final AtomicLongArray verdicts = new AtomicLongArray(Verdict.values().length);
    private final AtomicInteger flows = new AtomicInteger();

    /** Adds to a verdict's count; only the owning thread. */
    void add(Verdict verdict, int datagrams) {
        // Single writer: a plain read and an ordered write are enough.
        int at = verdict.ordinal();
        verdicts.setRelease(at, verdicts.getPlain(at) + datagrams);
    }

    long count(Verdict verdict) {
        return verdicts.getAcquire(verdict.ordinal());
    }

    /** Publishes the number of flows; only the owning thread. */
    void flows(int count) {
        flows.setRelease(count);
    }

    int flows() {
        return flows.getAcquire();
    }
}
