package dev.parley.app.load;

import java.util.random.RandomGenerator;

/** When one caller talks and when not: spurts and pauses of random length. Owned by its call. */
final class TalkModel {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final double talkSeconds;
    private final double silenceSeconds;
    private final RandomGenerator random;
    private boolean talking = true;
    private boolean changed = true;
    private long untilNanos;

    TalkModel(double talkSeconds, double silenceSeconds, RandomGenerator random, long nowNanos) {
        this.talkSeconds = talkSeconds;
        this.silenceSeconds = silenceSeconds;
        this.random = random;
        this.untilNanos = nowNanos + spread(talkSeconds);
    }

    /** Whether there is ever a pause. */
    boolean pauses() {
        return talkSeconds > 0 && silenceSeconds > 0;
    }

    /** Brings it up to date. */
    void at(long nowNanos) {
        changed = false;
        if (pauses() && untilNanos - nowNanos <= 0) {
            talking = !talking;
            changed = true;
            untilNanos = nowNanos + spread(talking ? talkSeconds : silenceSeconds);
        }
    }

    boolean talking() {
        return talking;
    }

    /** Whether talking has just begun or ended. */
    boolean changed() {
        return changed;
    }

    /** Half to one and a half of the mean: people neither stop at once nor go on for ever. */
    private long spread(double meanSeconds) {
        return (long) (meanSeconds * random.nextDouble(0.5, 1.5) * NANOS_PER_SECOND);
    }
}
