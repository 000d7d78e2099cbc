package dev.parley.signaling;

import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1ConnectionListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Closes connections whose request headers do not arrive in time, which the web server would wait
 * for without end: a few thousand of them, each sending a byte now and then, would otherwise hold
 * all connections. Any connection's thread reports here, one thread of its own looks for those that
 * are late.
 */
final class HeaderDeadline implements Http1ConnectionListener, AutoCloseable {
    private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);

    private final Map<ConnectionContext, Long> deadlines = new ConcurrentHashMap<>();
    private final LongAdder late = new LongAdder();
    private final LongSupplier nanoTime;
    private final long timeoutNanos;
    private final Thread watch;

    /**
     * @param timeout time between a request's first line and the end of its headers
     * @param nanoTime a monotonic clock
     */
    HeaderDeadline(Duration timeout, LongSupplier nanoTime) {
        this.timeoutNanos = timeout.toNanos();
        this.nanoTime = nanoTime;
        this.watch = Thread.ofVirtual().name("header-deadline").unstarted(this::watch);
    }

    void start() {
        watch.start();
    }

    @Override
    public void prologue(ConnectionContext connection, HttpPrologue prologue) {
        deadlines.put(connection, nanoTime.getAsLong() + timeoutNanos);
    }

    @Override
    public void headers(ConnectionContext connection, Headers headers) {
        deadlines.remove(connection);
    }

    /** Connections that were closed because of their headers. */
    long late() {
        return late.sum();
    }

    private void watch() {
        Duration period = Duration.ofNanos(Math.min(timeoutNanos / 2, LONGEST_PERIOD.toNanos()));
        try {
            while (true) {
                Thread.sleep(period);
                closeLate(nanoTime.getAsLong());
            }
        } catch (InterruptedException _) {
            // Closed.
        }
    }

    private void closeLate(long now) {
        deadlines.forEach(
                (connection, deadline) -> {
                    if (deadline - now <= 0 && deadlines.remove(connection, deadline)) {
                        late.increment();
                        close(connection);
                    }
                });
    }

    private static void close(ConnectionContext connection) {
        try {
            connection.serverSocket().close();
        } catch (RuntimeException _) {
            // The client closed it at the same moment.
        }
    }

    @Override
    public void close() {
        watch.interrupt();
    }
}
