package dev.parley.transceiver.inference;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One process of a backend: its connection, over which all calls that it has of us go, and what is
 * known of its state. Shared by all threads; owned by its {@link ReplicaSet}.
 */
final class Replica {
    /** A stream that has been accepted. */
    interface Guest {
        /** The replica wants its streams to go elsewhere. On a thread that must not be blocked. */
        void onDraining();
    }

    /** How long one that has failed or refused comes last. */
    private static final long AVOIDED_NANOS = 1_000_000_000L;

    private final String name;

    /**
     * A way to it.
     *
     * @param thread that carries what is sent
     */
    record Connection(ManagedChannel channel, StreamThread thread) {}

    private final ManagedChannel channel;
    private final StreamThread thread;
    private final Runnable onReady;
    private final AtomicInteger streams = new AtomicInteger();
    private final Set<Guest> guests = ConcurrentHashMap.newKeySet();
    private volatile long troubleNanos;
    private volatile boolean troubled;

    /**
     * @param name address, and the name that it was found under if that is another
     * @param onReady told when it has been connected to, on a thread that must not be blocked
     */
    Replica(String name, Connection connection, Runnable onReady) {
        this.name = name;
        this.onReady = onReady;
        this.channel = connection.channel();
        this.thread = connection.thread();
        watch(ConnectivityState.IDLE);
    }

    /**
     * A connection that is not ready any more while it has streams has got a GOAWAY, unless it
     * broke, which the streams learn by themselves.
     */
    private void watch(ConnectivityState before) {
        channel.notifyWhenStateChanged(
                before,
                () -> {
                    ConnectivityState now = channel.getState(false);
                    if (before == ConnectivityState.READY) {
                        guests.forEach(Guest::onDraining);
                    }
                    if (now != ConnectivityState.SHUTDOWN) {
                        watch(now);
                    }
                    if (now == ConnectivityState.READY) {
                        onReady.run();
                    }
                });
    }

    /** Has a stream told when the replica wants its streams to go elsewhere. */
    void add(Guest guest) {
        guests.add(guest);
    }

    void remove(Guest guest) {
        guests.remove(guest);
    }

    ManagedChannel channel() {
        return channel;
    }

    /** What carries its streams. */
    StreamThread thread() {
        return thread;
    }

    /** Streams that are open to it. */
    int streams() {
        return streams.get();
    }

    /** A stream is about to be opened. */
    void opening() {
        streams.incrementAndGet();
        reconnect();
    }

    /** Has it connected as soon as that can be, also where it has not been possible so far. */
    void reconnect() {
        if (channel.getState(true) == ConnectivityState.TRANSIENT_FAILURE) {
            channel.resetConnectBackoff();
        }
    }

    /** A stream is over. */
    void closed() {
        streams.decrementAndGet();
    }

    /** It has failed or is full: others are asked first for a while. */
    void troubled(long nowNanos) {
        troubleNanos = nowNanos;
        troubled = true;
    }

    /** How well it would take a stream now; lower is better. */
    int reluctance(long nowNanos) {
        int connection =
                switch (channel.getState(true)) {
                    case READY -> 0;
                    case IDLE, CONNECTING -> 1;
                    case TRANSIENT_FAILURE, SHUTDOWN -> 2;
                };
        boolean avoided = troubled && nowNanos - troubleNanos < AVOIDED_NANOS;
        return connection + (avoided ? 3 : 0);
    }

    /** Whether it is there and not in trouble. */
    boolean isFit(long nowNanos) {
        return reluctance(nowNanos) < 2;
    }

    /** Takes no new streams; the connection closes when the last one is over. */
    void retire() {
        channel.shutdown();
    }

    @Override
    public String toString() {
        return name;
    }
}
