package dev.parley.transceiver.control;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    /** The wait of a process that was told to stop. */
    public final class Wait {
        private final Runnable onRevoked;
        private boolean revoked;

        private Wait(Runnable onRevoked) {
            this.onRevoked = onRevoked;
        }

        /**
         * Waits until no call is left, the time is over, or it is revoked, which it is for good
         * even if another drain begins at once. An interrupted thread has waited long enough.
         */
        public Outcome await(BooleanSupplier empty, Duration atMost) {
            return Draining.this.await(this, empty, atMost);
        }
    }

    private static final long POLL_MILLIS = 50;

    private final List<Wait> waits = new ArrayList<>();
    private boolean on;
    private boolean forGood;

    /** Whether new calls are refused. */
    public synchronized boolean isOn() {
        return on || forGood;
    }

    /** Begins or revokes draining. */
    public synchronized void set(boolean wanted) {
        on = wanted;
        if (!wanted && !forGood) {
            waits.forEach(
                    wait -> {
                        wait.revoked = true;
                        wait.onRevoked.run();
                    });
            waits.clear();
        }
        notifyAll();
    }

    /** Nothing can be revoked any more. */
    public synchronized void close() {
        forGood = true;
        notifyAll();
    }

    /**
     * Begins to drain.
     *
     * @param onRevoked run when that is revoked, before whoever revokes it hears that it is; must
     *     not block
     */
    public synchronized Wait begin(Runnable onRevoked) {
        on = true;
        Wait begun = new Wait(onRevoked);
        waits.add(begun);
        return begun;
    }

    private synchronized Outcome await(Wait wait, BooleanSupplier empty, Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        Outcome outcome = Outcome.EMPTY;
        try {
            while (!wait.revoked && outcome == Outcome.EMPTY && !empty.getAsBoolean()) {
                if (end - System.nanoTime() <= 0) {
                    outcome = Outcome.DEADLINE;
                } else {
                    wait(POLL_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            outcome = Outcome.DEADLINE;
        }
        if (wait.revoked) {
            return Outcome.REVOKED;
        }
        // The process stops now: who revokes it from here on comes too late.
        forGood = true;
        return outcome;
    }
}
