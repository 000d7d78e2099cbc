package dev.parley.signaling.net;

import dev.parley.signaling.limits.AddressKey;
import java.io.IOException;
import java.nio.channels.SocketChannel;

/**
 * One accepted connection: what its client is waited for and until when. Its own thread moves it
 * from stage to stage, the {@link ConnectionGuard}'s thread looks whether it is late.
 */
final class WatchedConnection {
    /** What happens on a connection, and so what its deadline is for. */
    enum Stage {
        /**
         * From the connection's start, or the first byte of a later request, to its headers' end.
         */
        HEAD,
        /** The request is being handled. */
        SERVING,
        /** The response is on its way. */
        ANSWERED,
        /** Nothing is asked for. */
        IDLE,
        /** The connection serves another protocol, which is pinged, so that it is never idle. */
        UPGRADED
    }

    private final SocketChannel channel;
    private final AddressKey address;
    private volatile Stage stage = Stage.HEAD;
    private volatile long deadlineNanos;

    WatchedConnection(SocketChannel channel, AddressKey address, long deadlineNanos) {
        this.channel = channel;
        this.address = address;
        this.deadlineNanos = deadlineNanos;
    }

    AddressKey address() {
        return address;
    }

    Stage stage() {
        return stage;
    }

    /**
     * The deadline is moved first: whoever sees the stage sees a deadline no earlier than its own.
     */
    void enter(Stage next, long deadline) {
        deadlineNanos = deadline;
        stage = next;
    }

    boolean isLate(long nowNanos) {
        return deadlineNanos - nowNanos <= 0;
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** Ends it at once, whatever its thread is doing. */
    void close() {
        try {
            channel.close();
        } catch (IOException _) {
            // It is closed all the same.
        }
    }
}
