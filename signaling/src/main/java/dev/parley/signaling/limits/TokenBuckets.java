package dev.parley.signaling.limits;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A token bucket for each of many keys. Any thread may ask. The number of buckets is bounded, the
 * one longest unused makes room.
 */
public final class TokenBuckets<K> {
    static final int MAX_BUCKETS = 100_000;

    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final LongSupplier nanoTime;
    private final Map<K, Long> fullAt =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<K, Long> eldest) {
                    return size() > MAX_BUCKETS;
                }
            };

    /**
     * Starts with every bucket full.
     *
     * @param nanoTime a monotonic clock
     */
    public TokenBuckets(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Nanoseconds until this key's bucket has a token; 0 when it had one, which is then taken.
     *
     * @param perMinute tokens that come back a minute, 0 for no limit
     * @param burst tokens in a full bucket
     */
    public synchronized long acquire(K key, int perMinute, int burst) {
        if (perMinute == 0) {
            return 0;
        }
        long intervalNanos = MINUTE_NANOS / perMinute;
        long now = nanoTime.getAsLong();
        // A bucket is kept as the time at which it will be full again.
        long full = fullAt.getOrDefault(key, now);
        if (full - now < 0) {
            full = now;
        }
        long wait = full + intervalNanos - intervalNanos * burst - now;
        if (wait > 0) {
            return wait;
        }
        fullAt.put(key, full + intervalNanos);
        return 0;
    }

    /** Gives a token back that {@link #acquire} has taken. */
    public synchronized void giveBack(K key, int perMinute) {
        Long full = fullAt.get(key);
        if (perMinute != 0 && full != null) {
            fullAt.put(key, full - MINUTE_NANOS / perMinute);
        }
    }
}
