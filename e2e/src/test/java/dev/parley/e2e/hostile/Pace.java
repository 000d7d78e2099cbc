package dev.parley.e2e.hostile;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Does something so many times a second; what was missed is made up for. */
final class Pace {
    private static final long NAP_NANOS = 500_000;

    private Pace() {}

    /** One time. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException, InterruptedException;
    }

    /**
     * Does it on the calling thread until told to stop.
     *
     * @param between done when as many steps were made as are due
     */
    static void hold(int perSecond, BooleanSupplier going, Step step, Step between)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        long due = 0;
        while (going.getAsBoolean()) {
            long wanted = (System.nanoTime() - start) * perSecond / TimeUnit.SECONDS.toNanos(1);
            for (; due < wanted && going.getAsBoolean(); due++) {
                step.run();
            }
            between.run();
            LockSupport.parkNanos(NAP_NANOS);
        }
    }
}
