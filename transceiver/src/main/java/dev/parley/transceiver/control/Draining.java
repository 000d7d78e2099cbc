package dev.parley.transceiver.control;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Whether this process takes new calls, and the wait of one that was told to stop for its calls to
 * end. Shared by all threads.
 */
public final class Draining {
    /** How a wait ended. */
    public enum Outcome {
        /** No call is left. */
        EMPTY,
        /** Some are, and the time is over. */
        DEADLINE,
        /** Somebody wants this process to go on. */
        REVOKED
    }

    private static final long POLL_MILLIS = 50;

    private boolean on;
    private boolean forGood;

    /** Whether new calls are refused. */
    public synchronized boolean isOn() {
        return on || forGood;
    }

    /** Begins or revokes draining. */
    public synchronized void set(boolean wanted) {
        on = wanted;
        notifyAll();
    }

    /** Nothing can be revoked any more. */
    public synchronized void close() {
        forGood = true;
        notifyAll();
    }

    /**
     * Begins to drain and waits until no call is left, the time is over, or it is revoked. An
     * interrupted thread has waited long enough.
     */
    public synchronized Outcome await(BooleanSupplier empty, Duration atMost) {
        on = true;
        long end = System.nanoTime() + atMost.toNanos();
        try {
            while (on && !empty.getAsBoolean()) {
                if (end - System.nanoTime() <= 0) {
                    return Outcome.DEADLINE;
                }
                wait(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Outcome.DEADLINE;
        }
        return on ? Outcome.EMPTY : Outcome.REVOKED;
    }
}
