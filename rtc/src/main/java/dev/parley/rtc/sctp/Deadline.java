package dev.parley.rtc.sctp;

/** A timer that its owner asks: set or not, and when it is due. */
final class Deadline {
    private boolean running;
    private long atNanos;

    void start(long deadlineNanos) {
        running = true;
        atNanos = deadlineNanos;
    }

    void stop() {
        running = false;
    }

    boolean isRunning() {
        return running;
    }

    boolean isDue(long nowNanos) {
        return running && atNanos - nowNanos <= 0;
    }

    /** The earlier of this deadline, if it is set, and another. */
    long orEarlier(long otherNanos) {
        return running && atNanos - otherNanos < 0 ? atNanos : otherNanos;
    }
}
