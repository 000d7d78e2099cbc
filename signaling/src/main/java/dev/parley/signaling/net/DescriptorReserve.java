package dev.parley.signaling.net;

import java.util.function.LongSupplier;

/**
 * Keeps connections from taking the process's last file descriptors: without one the web server
 * cannot accept, and then it stops for good. A part of what was free at the start is for everything
 * else in the process; into half of that bursts of others may reach before connections are refused.
 * Owned by the guard.
 */
final class DescriptorReserve {
    private static final long MOST = 256;
    private static final int PART = 4;
    private static final long LONGEST_UNSEEN = 64;

    private final LongSupplier spare;
    private final long least;
    private long unseen;

    /**
     * @param spare descriptors that the process may still open; asked often only when they are few
     */
    DescriptorReserve(LongSupplier spare) {
        this.spare = spare;
        this.least = of(spare.getAsLong()) / 2;
    }

    /** What connections leave to others, of so many that are free at the start. */
    static long of(long spare) {
        return Math.min(MOST, spare / PART);
    }

    /** Whether there is one for one more connection. */
    synchronized boolean hasRoom() {
        if (unseen > 0) {
            unseen--;
            return true;
        }
        long room = spare.getAsLong() - least;
        unseen = Math.clamp(room / PART, 0, LONGEST_UNSEEN);
        return room > 0;
    }
}
