package dev.parley.transceiver.realtime;

import dev.parley.transceiver.inference.EventSurface;

/** Compares deadlines of which each may be {@link EventSurface#NEVER}. */
final class Deadlines {
    private Deadlines() {}

    static long earlier(long one, long other) {
        if (one == EventSurface.NEVER || other == EventSurface.NEVER) {
            return one == EventSurface.NEVER ? other : one;
        }
        return one - other <= 0 ? one : other;
    }

    static boolean isOver(long deadlineNanos, long nowNanos) {
        return deadlineNanos != EventSurface.NEVER && deadlineNanos - nowNanos <= 0;
    }
}
