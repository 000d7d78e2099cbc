package dev.parley.signaling.net;

import dev.parley.runtime.load.FileDescriptors;
import dev.parley.runtime.reload.Ticker;
import dev.parley.signaling.limits.AddressKey;
import dev.parley.signaling.net.WatchedConnection.Stage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps clients from holding connections that do nothing. The web server waits without end for a
 * TLS handshake, a request line or headers, and lets one address have every connection; here each
 * stage has its time and each address its share. Connections' threads report to it, a thread of its
 * own looks for those that are late.
 */
final class ConnectionGuard implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ConnectionGuard.class.getName());
    private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);
    private static final long TELL_NANOS = Duration.ofMinutes(1).toNanos();

    private final ConnectionLimits limits;
    private final DescriptorReserve descriptors;
    private final LongSupplier nanoTime;
    private final Map<SocketAddress, WatchedConnection> connections = new ConcurrentHashMap<>();
    private final Map<AddressKey, Integer> perAddress = new HashMap<>();
    private final LongAdder lateHead = new LongAdder();
    private final LongAdder lateRequest = new LongAdder();
    private final LongAdder idle = new LongAdder();
    private final LongAdder tooMany = new LongAdder();
    private final LongAdder noDescriptors = new LongAdder();
    private @Nullable Ticker ticker;
    private long nextTellNanos;
    private long refusedBefore;

    /**
     * @param spareDescriptors how many more files the process may open
     * @param nanoTime a monotonic clock
     */
    ConnectionGuard(ConnectionLimits limits, LongSupplier spareDescriptors, LongSupplier nanoTime) {
        this.limits = limits;
        this.descriptors = new DescriptorReserve(spareDescriptors);
        this.nanoTime = nanoTime;
        this.nextTellNanos = nanoTime.getAsLong();
    }

    void start() {
        boolean idleIsShorter = limits.idle().compareTo(limits.receive()) < 0;
        Duration half = (idleIsShorter ? limits.idle() : limits.receive()).dividedBy(2);
        ticker =
                Ticker.start(
                        "connection-guard",
                        half.compareTo(LONGEST_PERIOD) < 0 ? half : LONGEST_PERIOD,
                        () -> closeLate(nanoTime.getAsLong()));
    }

    /** Why connections were closed, and how often. */
    Map<String, LongSupplier> closed() {
        Map<String, LongSupplier> closed = new LinkedHashMap<>();
        closed.put("late_head", lateHead::sum);
        closed.put("late_request", lateRequest::sum);
        closed.put("idle", idle::sum);
        closed.put("too_many_of_address", tooMany::sum);
        closed.put("no_descriptors", noDescriptors::sum);
        return closed;
    }

    /** Connections that are open. */
    long open() {
        return connections.size();
    }

    /**
     * Takes a connection that was just accepted; answers false when its address has too many, or
     * the process too few file descriptors.
     */
    boolean admit(SocketChannel channel, SocketAddress remote) {
        if (!descriptors.hasRoom()) {
            noDescriptors.increment();
            tellOfDescriptors();
            return false;
        }
        InetAddress address =
                remote instanceof InetSocketAddress inet
                        ? inet.getAddress()
                        : InetAddress.getLoopbackAddress();
        WatchedConnection connection =
                new WatchedConnection(channel, AddressKey.of(address), in(limits.receive()));
        if (!countIn(connection.address(), TrustedProxies.contains(limits.exempt(), address))) {
            tooMany.increment();
            return false;
        }
        WatchedConnection former = connections.put(remote, connection);
        if (former != null) {
            // The system reuses a client's port only once that connection is gone.
            countOut(former.address());
        }
        return true;
    }

    private synchronized void tellOfDescriptors() {
        long now = nanoTime.getAsLong();
        if (nextTellNanos - now <= 0) {
            nextTellNanos = now + TELL_NANOS;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "connections are refused: of the {0} files and sockets that this process may"
                            + " have hardly any are left; raise the limit (ulimit -n, LimitNOFILE)"
                            + " or lower max_connections",
                    Long.toString(FileDescriptors.limit()));
        }
    }

    /** The accepted connection from this address, or null when it is over. */
    @Nullable WatchedConnection find(SocketAddress remote) {
        return connections.get(remote);
    }

    void gone(SocketAddress remote, WatchedConnection connection) {
        if (connections.remove(remote, connection)) {
            countOut(connection.address());
        }
    }

    /** Bytes came. */
    void received(WatchedConnection connection) {
        switch (connection.stage()) {
            case IDLE -> connection.enter(Stage.HEAD, in(limits.receive()));
            case UPGRADED -> upgraded(connection);
            case HEAD, SERVING, ANSWERED -> {
                // Has its time already.
            }
        }
    }

    /** The request line is complete; it may have come together with the request before it. */
    void requestLine(WatchedConnection connection) {
        if (connection.stage() != Stage.HEAD) {
            connection.enter(Stage.HEAD, in(limits.receive()));
        }
    }

    void headers(WatchedConnection connection) {
        connection.enter(Stage.SERVING, in(limits.serve()));
    }

    void answering(WatchedConnection connection) {
        if (connection.stage() == Stage.SERVING) {
            connection.enter(Stage.ANSWERED, in(limits.answer()));
        }
    }

    /**
     * The connection's thread waits for bytes.
     *
     * @param begun whether a part of the next request is there, because it came with the last one
     */
    void waiting(WatchedConnection connection, boolean begun) {
        if (connection.stage() == Stage.ANSWERED) {
            connection.enter(
                    begun ? Stage.HEAD : Stage.IDLE, in(begun ? limits.receive() : limits.idle()));
        }
    }

    /** The connection speaks WebSocket from now on, on which something comes now and then. */
    void upgraded(WatchedConnection connection) {
        connection.enter(Stage.UPGRADED, in(limits.idle()));
    }

    void closeLate(long now) {
        long refused = noDescriptors.sum();
        boolean crowded = connections.size() > limits.total() / 10 * 9 || refused != refusedBefore;
        refusedBefore = refused;
        connections.forEach(
                (remote, connection) -> {
                    if (!connection.isOpen()) {
                        // It failed before it spoke HTTP, in its TLS handshake.
                        gone(remote, connection);
                    } else if (connection.isLate(now)) {
                        counter(connection.stage()).increment();
                        connection.close();
                    } else if (crowded && connection.stage() == Stage.IDLE) {
                        idle.increment();
                        connection.close();
                    }
                });
    }

    private LongAdder counter(Stage stage) {
        return switch (stage) {
            case HEAD -> lateHead;
            case SERVING, ANSWERED -> lateRequest;
            case IDLE, UPGRADED -> idle;
        };
    }

    private long in(Duration time) {
        return nanoTime.getAsLong() + time.toNanos();
    }

    private synchronized boolean countIn(AddressKey address, boolean exempt) {
        int count = perAddress.getOrDefault(address, 0);
        if (limits.perAddress() > 0 && count >= limits.perAddress() && !exempt) {
            return false;
        }
        perAddress.put(address, count + 1);
        return true;
    }

    private synchronized void countOut(AddressKey address) {
        perAddress.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
    }

    @Override
    public void close() {
        if (ticker != null) {
            ticker.close();
        }
    }
}
