package dev.parley.transceiver.realtime;

import dev.parley.transceiver.inference.EventSurface;

/**
 * How long a caller has said nothing since the agent spoke. Begins once the agent's response was
 * heard out, and anew only behind the next response. Owned by the call's surface.
 */
final class CallerSilence {
    private static final long NANOS_PER_MILLI = 1_000_000L;

    /** The agent has spoken and the caller has not since. */
    private boolean awaited;

    private boolean counting;
    private long startNanos;
    private long startMillis;

    /**
     * Takes note of what is going on.
     *
     * @param agentQuiet whether no response is being made or heard
     * @param inputMillis end of the caller's audio so far
     */
    void observe(boolean callerSpeaks, boolean agentQuiet, long inputMillis, long nowNanos) {
        if (callerSpeaks || !agentQuiet) {
            awaited = !callerSpeaks;
            counting = false;
        } else if (awaited && !counting) {
            counting = true;
            startNanos = nowNanos;
            startMillis = inputMillis;
        }
    }

    /** Where the silence begins, on the clock of the caller's audio. */
    long startMillis() {
        return startMillis;
    }

    /**
     * When it is over.
     *
     * @param timeoutMillis 0 for never
     */
    long deadlineNanos(int timeoutMillis) {
        return counting && timeoutMillis > 0
                ? startNanos + timeoutMillis * NANOS_PER_MILLI
                : EventSurface.NEVER;
    }

    /** Whether it has lasted long enough; it is over then. */
    boolean end(int timeoutMillis, long nowNanos) {
        boolean over = Deadlines.isOver(deadlineNanos(timeoutMillis), nowNanos);
        if (over) {
            awaited = false;
            counting = false;
        }
        return over;
    }
}
