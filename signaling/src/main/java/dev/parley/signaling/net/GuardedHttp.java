package dev.parley.signaling.net;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.http.Status;
import io.helidon.http.WritableHeaders;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.http1.Http1ConnectionListener;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.net.SocketAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 whose connections report each stage to the {@link ConnectionGuard}: the web server's own
 * implementation with a reader and listeners in between. Any connection's thread uses it.
 */
final class GuardedHttp implements ServerConnectionSelector {
    private final ConnectionGuard guard;
    private final ServerConnectionSelector http;

    /**
     * @param http the web server's HTTP/1.1, to which {@link #received} and {@link #sent} listen
     */
    GuardedHttp(ConnectionGuard guard, ServerConnectionSelector http) {
        this.guard = guard;
        this.http = http;
    }

    /** Listens to what connections receive. Of several listeners the web server tells none. */
    static Http1ConnectionListener received(ConnectionGuard guard) {
        return new Http1ConnectionListener() {
            @Override
            public void prologue(ConnectionContext context, HttpPrologue prologue) {
                watched(context, guard::requestLine);
            }

            @Override
            public void headers(ConnectionContext context, Headers headers) {
                watched(context, guard::headers);
                foldUpgrade(headers);
            }
        };
    }

    // RFC 9110 7.8: recipients SHOULD use case-insensitive comparison when matching each
    // protocol-name to supported protocols. The web server's, which comes next, is not.
    private static void foldUpgrade(Headers headers) {
        if (headers instanceof WritableHeaders<?> received
                && received.contains(HeaderNames.UPGRADE)) {
            String name = received.get(HeaderNames.UPGRADE).get();
            received.set(HeaderNames.UPGRADE, name.toLowerCase(Locale.ROOT));
        }
    }

    /** Listens to what connections send. */
    static Http1ConnectionListener sent(ConnectionGuard guard) {
        return new Http1ConnectionListener() {
            @Override
            public void status(ConnectionContext context, Status status) {
                watched(context, guard::answering);
            }
        };
    }

    private static void watched(ConnectionContext context, Consumer<WatchedConnection> report) {
        if (context instanceof Watched watched) {
            report.accept(watched.connection);
        }
    }

    @Override
    public int bytesToIdentifyConnection() {
        return http.bytesToIdentifyConnection();
    }

    @Override
    public Support supports(BufferData data) {
        return http.supports(data);
    }

    @Override
    public Set<String> supportedApplicationProtocols() {
        return http.supportedApplicationProtocols();
    }

    @Override
    public ServerConnection connection(ConnectionContext context) {
        SocketAddress remote = context.remotePeer().address();
        WatchedConnection connection = guard.find(remote);
        if (connection == null) {
            throw new CloseConnectionException("closed while it was accepted");
        }
        ServerConnection served = http.connection(new Watched(context, connection, guard));
        return new EndingConnection(served, _ -> {}, () -> guard.gone(remote, connection));
    }

    /** The web server's context of a connection, with a reader that reports. */
    static final class Watched implements ConnectionContext {
        private final ConnectionContext context;
        private final WatchedConnection connection;
        private final ConnectionGuard guard;
        private final DataReader reader;
        private @Nullable FramePieces frame;

        Watched(ConnectionContext context, WatchedConnection connection, ConnectionGuard guard) {
            this.context = context;
            this.connection = connection;
            this.guard = guard;
            this.reader = DataReader.create(this::read);
        }

        private byte[] read() {
            FramePieces coming = frame;
            if (coming == null) {
                guard.waiting(connection, reader.available() > 0);
            } else {
                coming.waiting(reader.available());
            }
            DataReader source = context.dataReader();
            source.ensureAvailable();
            byte[] bytes = source.readBuffer().readBytes();
            guard.received(connection);
            return bytes;
        }

        /** Ends the watch over stages that only HTTP has. */
        void upgraded(int maxFrameBytes) {
            frame = new FramePieces(maxFrameBytes);
            guard.upgraded(connection);
        }

        @Override
        public DataReader dataReader() {
            return reader;
        }

        @Override
        public ListenerContext listenerContext() {
            return context.listenerContext();
        }

        @Override
        public ExecutorService executor() {
            return context.executor();
        }

        @Override
        public DataWriter dataWriter() {
            return context.dataWriter();
        }

        @Override
        public Router router() {
            return context.router();
        }

        @Override
        public Optional<ProxyProtocolData> proxyProtocolData() {
            return context.proxyProtocolData();
        }

        @Override
        public HelidonSocket serverSocket() {
            return context.serverSocket();
        }

        @Override
        public PeerInfo remotePeer() {
            return context.remotePeer();
        }

        @Override
        public PeerInfo localPeer() {
            return context.localPeer();
        }

        @Override
        public boolean isSecure() {
            return context.isSecure();
        }

        @Override
        public String socketId() {
            return context.socketId();
        }

        @Override
        public String childSocketId() {
            return context.childSocketId();
        }
    }
}
