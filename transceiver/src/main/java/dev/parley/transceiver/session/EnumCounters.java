package dev.parley.transceiver.session;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts events of a closed set: every constant has its counter. One thread writes, any thread
 * reads.
 *
 * @param <E> what is counted
 */
final class EnumCounters<E extends Enum<E>> {
    private final Class<E> type;
    private final AtomicLongArray counts;

    EnumCounters(Class<E> type) {
        this.type = type;
        this.counts = new AtomicLongArray(type.getEnumConstants().length);
    }

    /** Adds one; only the owning thread. */
    void increment(E event) {
        add(event, 1);
    }

    /** Adds several; only the owning thread. */
    void add(E event, long amount) {
        // Single writer: a plain read and an ordered write are enough.
        counts.setRelease(event.ordinal(), counts.getPlain(event.ordinal()) + amount);
    }

    long count(E event) {
        return counts.getAcquire(event.ordinal());
    }

    Class<E> type() {
        return type;
    }
}
