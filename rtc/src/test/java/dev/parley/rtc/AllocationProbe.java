package dev.parley.rtc;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Counts the bytes that a piece of code allocates on the calling thread. */
public final class AllocationProbe {
    private static final int WARM_UP_ROUNDS = 30_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private AllocationProbe() {}

    /** Bytes allocated per round, after a warm-up. */
    public static double bytesPerRound(Runnable code, int rounds) {
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            code.run();
        }
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < rounds; i++) {
            code.run();
        }
        return (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / rounds;
    }
}
