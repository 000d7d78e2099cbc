package dev.parley.runtime.load;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Whether more set-ups come than this process can do. Then each waits for those before it, calls
 * included that go on, and soon all of them take longer than their clients do: better to refuse
 * some at once. What tells is how late a thread runs that wants to run now. A process that was held
 * up for a moment catches up, one that is given too much does not, so only a delay that stays for a
 * whole interval counts (as in CoDel, RFC 8289 3.1). Shared by all threads.
 */
public final class Congestion implements AutoCloseable {
    private static final long PROBE_NANOS = 50_000_000L;
    private static final long INTERVAL_NANOS = 500_000_000L;

    private final long targetNanos;
    private final LongAdder refused = new LongAdder();
    private volatile boolean standing;
    private volatile boolean closed;
    private long lateSinceNanos;
    private boolean late;

    /**
     * @param target a delay that may stay, at least a millisecond
     */
    Congestion(Duration target) {
        this.targetNanos = target.toNanos();
    }

    /**
     * Watches this process until closed.
     *
     * @param target a delay that may stay; zero never refuses anybody
     */
    public static Congestion watch(Duration target) {
        Congestion congestion = new Congestion(target);
        if (target.isPositive()) {
            Thread.ofVirtual().name("congestion").start(congestion::probe);
        }
        return congestion;
    }

    /** That of a process which has all the time in the world. */
    public static Congestion none() {
        return new Congestion(Duration.ZERO);
    }

    /** Whether new calls are to be refused. */
    public boolean isStanding() {
        return standing;
    }

    /** Whether a new call is to be refused, which is then counted. */
    public boolean refuses() {
        if (standing) {
            refused.increment();
        }
        return standing;
    }

    /** Calls that were refused. */
    public long refused() {
        return refused.sum();
    }

    private void probe() {
        while (!closed) {
            long due = System.nanoTime() + PROBE_NANOS;
            while (due - System.nanoTime() > 0) {
                LockSupport.parkNanos(this, due - System.nanoTime());
            }
            long now = System.nanoTime();
            ran(now - due, now);
        }
    }

    /** A thread ran that should have run so long ago. */
    void ran(long lateNanos, long nowNanos) {
        boolean wasLate = late;
        late = lateNanos > targetNanos;
        if (late && !wasLate) {
            lateSinceNanos = nowNanos - lateNanos;
        }
        standing = late && nowNanos - lateSinceNanos >= INTERVAL_NANOS;
    }

    @Override
    public void close() {
        closed = true;
    }
}
