package dev.parley.signaling;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Limits the calls that one client address may start: a token bucket for each IPv4 address or IPv6
 * /64, which is what one subscriber has. Any thread may ask. The number of buckets is bounded, the
 * one longest unused makes room.
 */
final class CallLimiter {
    private static final int MAX_ADDRESSES = 100_000;

    private final long intervalNanos;
    private final long burstNanos;
    private final LongSupplier nanoTime;
    private final Map<Long, Long> fullAt =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
                    return size() > MAX_ADDRESSES;
                }
            };

    /**
     * @param perMinute calls a minute, 0 for no limit
     * @param burst calls at once
     * @param nanoTime a monotonic clock
     */
    CallLimiter(int perMinute, int burst, LongSupplier nanoTime) {
        this.intervalNanos = perMinute == 0 ? 0 : 60_000_000_000L / perMinute;
        this.burstNanos = intervalNanos * burst;
        this.nanoTime = nanoTime;
    }

    /** Nanoseconds until this address may start a call; 0 when it may, which is then counted. */
    synchronized long acquire(InetAddress client) {
        if (intervalNanos == 0) {
            return 0;
        }
        long now = nanoTime.getAsLong();
        // A bucket is kept as the time at which it will be full again.
        long full = fullAt.getOrDefault(key(client), now);
        if (full - now < 0) {
            full = now;
        }
        long wait = full + intervalNanos - burstNanos - now;
        if (wait > 0) {
            return wait;
        }
        fullAt.put(key(client), full + intervalNanos);
        return 0;
    }

    // An IPv4 address cannot meet a /64: those have their high half set.
    private static long key(InetAddress client) {
        ByteBuffer bytes = ByteBuffer.wrap(client.getAddress());
        return client instanceof Inet4Address ? bytes.getInt() & 0xFFFF_FFFFL : bytes.getLong();
    }
}
