package dev.parley.signaling.net;

import io.helidon.common.socket.SocketOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Shows every connection to the {@link ConnectionGuard} as soon as it is accepted: setting its
 * options is the one thing that the web server lets others do at that moment. An exception here
 * closes the connection and nothing else.
 */
final class GuardedSockets implements SocketOptions {
    private final SocketOptions options;
    private final ConnectionGuard guard;

    GuardedSockets(SocketOptions options, ConnectionGuard guard) {
        this.options = options;
        this.guard = guard;
    }

    @Override
    public void configureSocket(SocketChannel socket) {
        options.configureSocket(socket);
        try {
            if (!guard.admit(socket, socket.getRemoteAddress())) {
                throw new IllegalStateException("no room for this connection");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Map<SocketOption<?>, Object> socketOptions() {
        return options.socketOptions();
    }

    @Override
    public Duration connectTimeout() {
        return options.connectTimeout();
    }

    @Override
    public Duration readTimeout() {
        return options.readTimeout();
    }

    @Override
    public Optional<Integer> socketReceiveBufferSize() {
        return options.socketReceiveBufferSize();
    }

    @Override
    public Optional<Integer> socketSendBufferSize() {
        return options.socketSendBufferSize();
    }

    @Override
    public boolean socketReuseAddress() {
        return options.socketReuseAddress();
    }

    @Override
    public boolean socketKeepAlive() {
        return options.socketKeepAlive();
    }

    @Override
    public boolean tcpNoDelay() {
        return options.tcpNoDelay();
    }
}
