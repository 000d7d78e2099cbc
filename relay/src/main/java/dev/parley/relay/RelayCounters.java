package dev.parley.relay;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** What one worker has done so far. Its thread writes, any thread reads. */
final class RelayCounters {
    /** Buckets by powers of two: 1, 2, 4, ... 1,024 datagrams. */
    static final int BATCH_BUCKETS = 11;

    /** Buckets by powers of two: 1, 2, 4, ... 32,768 microseconds, and longer ones. */
    static final int FORWARD_TIME_BUCKETS = 17;

    private static final long NANOS_PER_MICRO = 1_000L;

    private final AtomicLongArray verdicts = new AtomicLongArray(Verdict.values().length);
    private final AtomicLongArray batches = new AtomicLongArray(BATCH_BUCKETS);
    private final AtomicLongArray forwardTimes = new AtomicLongArray(FORWARD_TIME_BUCKETS);
    private final AtomicLong busyNanos = new AtomicLong();
    private final AtomicInteger flows = new AtomicInteger();

    /** Adds to a verdict's count; only the owning thread. */
    void add(Verdict verdict, int datagrams) {
        add(verdicts, verdict.ordinal(), datagrams);
    }

    /** Counts a batch by its size, 1 or more; only the owning thread. */
    void batch(int datagrams) {
        add(batches, bucket(datagrams, BATCH_BUCKETS), 1);
    }

    /** Counts how long one turn took from its first receive to its last send. */
    void forwardTime(long nanos) {
        add(forwardTimes, bucket(nanos / NANOS_PER_MICRO, FORWARD_TIME_BUCKETS), 1);
    }

    /** Adds to the time that turns with datagrams took; only the owning thread. */
    void busy(long nanos) {
        busyNanos.setRelease(busyNanos.getPlain() + nanos);
    }

    /** Publishes the number of flows; only the owning thread. */
    void flows(int count) {
        flows.setRelease(count);
    }

    // Single writer: a plain read and an ordered write are enough.
    private static void add(AtomicLongArray counts, int at, int more) {
        counts.setRelease(at, counts.getPlain(at) + more);
    }

    /** The first bucket whose bound, 2 to the power of its index, is not below the value. */
    private static int bucket(long value, int buckets) {
        int index = value <= 1 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(value - 1);
        return Math.min(index, buckets - 1);
    }

    long count(Verdict verdict) {
        return verdicts.getAcquire(verdict.ordinal());
    }

    long batches(int bucket) {
        return batches.getAcquire(bucket);
    }

    long forwardTimes(int bucket) {
        return forwardTimes.getAcquire(bucket);
    }

    long busyNanos() {
        return busyNanos.getAcquire();
    }

    int flows() {
        return flows.getAcquire();
    }
}
