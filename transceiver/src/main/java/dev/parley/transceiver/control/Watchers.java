package dev.parley.transceiver.control;

import dev.parley.transceiver.session.SessionId;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Those that look at a call again and again, as signaling does for its WebSockets, and have not yet
 * seen that it ended. A process that stops waits a moment for them. Shared by all threads; holds
 * what was looked at within {@link #PERIOD}.
 */
final class Watchers {
    /** Who looked longer ago than this does not look again: signaling does each second. */
    static final Duration PERIOD = Duration.ofSeconds(2);

    /** When each was looked at last, the earliest first. */
    private final Map<SessionId, Long> looks = new LinkedHashMap<>();

    /** Somebody has seen the call going on. */
    synchronized void looked(SessionId id, long nowNanos) {
        looks.remove(id);
        looks.put(id, nowNanos);
        forget(nowNanos);
    }

    /** Whoever looks at the call knows that it is over. */
    synchronized void told(SessionId id) {
        if (looks.remove(id) != null) {
            notifyAll();
        }
    }

    /** Waits until all know, for {@link #PERIOD} at most. All calls must be over. */
    synchronized void awaitTold() {
        try {
            for (forget(System.nanoTime()); !looks.isEmpty(); forget(System.nanoTime())) {
                long oldest = looks.values().iterator().next();
                long left = oldest + PERIOD.toNanos() - System.nanoTime();
                wait(1 + Math.max(0, Duration.ofNanos(left).toMillis()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void forget(long nowNanos) {
        Iterator<Long> oldest = looks.values().iterator();
        while (oldest.hasNext() && nowNanos - oldest.next() >= PERIOD.toNanos()) {
            oldest.remove();
        }
    }
}
