package dev.parley.signaling.net;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.load.FileDescriptors;
import io.helidon.common.Builder;
import io.helidon.common.socket.SocketOptions;
import io.helidon.common.tls.Tls;
import io.helidon.webserver.Routing;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.http1.spi.Http1Upgrader;
import io.helidon.webserver.websocket.WsConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/**
 * The web server with its limits, and with what it leaves to its users: telling why it could not
 * bind, and waiting for clients only so long.
 */
public final class HttpListener implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HttpListener.class.getName());
    private static final int EXIT_FAILED = 1;
    private static final Duration STOP_GRACE = Duration.ofSeconds(1);
    private static final Duration MAX_IDLE_PERIOD = Duration.ofSeconds(10);

    /**
     * Where and how to listen.
     *
     * @param address of the config's {@code http_address}
     * @param tls what to speak TLS with, if at all
     * @param maxPayloadBytes request bodies beyond this are cut off
     * @param maxHeaderBytes request headers beyond this are refused
     * @param maxFrameBytes WebSocket frames beyond this end their connection
     * @param connections times and shares of connections
     */
    public record Settings(
            HostPort address,
            Optional<SSLContext> tls,
            long maxPayloadBytes,
            int maxHeaderBytes,
            int maxFrameBytes,
            ConnectionLimits connections) {}

    private final Function<InetSocketAddress, WebServerConfig.Builder> servers;
    private final ConnectionGuard guard;
    private final InetSocketAddress address;
    private final ListenerWatch watch =
            new ListenerWatch(this::listens, this::reopen, HttpListener::endProcess);
    private WebServer server;
    private boolean closed;

    private HttpListener(
            Function<InetSocketAddress, WebServerConfig.Builder> servers,
            ConnectionGuard guard,
            InetSocketAddress wanted) {
        this.servers = servers;
        this.guard = guard;
        this.server = servers.apply(wanted).build().start();
        if (!server.isRunning()) {
            throw cannotListen(wanted, "see the log");
        }
        this.address = new InetSocketAddress(wanted.getAddress(), server.port());
    }

    /**
     * Binds and serves.
     *
     * @param routings of each protocol
     * @param upgraders to other protocols
     * @param errors what answers requests that do not get as far as the routing
     * @throws ConfigException when the address cannot be bound
     */
    public static HttpListener start(
            Settings settings,
            List<Builder<?, ? extends Routing>> routings,
            List<Http1Upgrader> upgraders,
            DirectHandlers errors,
            Telemetry telemetry) {
        InetSocketAddress wanted = settings.address().resolve("http_address");
        requireFree(wanted);
        ConnectionLimits limits = limits(settings);
        ConnectionGuard guard =
                new ConnectionGuard(limits, FileDescriptors::spare, System::nanoTime);
        HttpListener listener =
                new HttpListener(
                        address -> {
                            WebServerConfig.Builder builder =
                                    server(settings, limits, address, guard, upgraders, errors);
                            routings.forEach(builder::addRouting);
                            return builder;
                        },
                        guard,
                        wanted);
        guard.start();
        listener.watch.start();
        register(guard, telemetry);
        return listener;
    }

    private static ConnectionLimits limits(Settings settings) {
        int wanted = settings.connections().total();
        ConnectionLimits limits = settings.connections().within(FileDescriptors.spare());
        if (limits.total() < wanted) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "max_connections: {0} are taken, not {1}, and {2} of one address, as this"
                            + " process may have {3} files and sockets only; raise that limit"
                            + " (ulimit -n, LimitNOFILE)",
                    Integer.toString(limits.total()),
                    Integer.toString(wanted),
                    Integer.toString(limits.perAddress()),
                    Long.toString(FileDescriptors.limit()));
        }
        return limits;
    }

    private static WebServerConfig.Builder server(
            Settings settings,
            ConnectionLimits limits,
            InetSocketAddress wanted,
            ConnectionGuard guard,
            List<Http1Upgrader> upgraders,
            DirectHandlers errors) {
        SocketOptions options = SocketOptions.builder().tcpNoDelay(true).build();
        WebServerConfig.Builder builder =
                WebServer.builder()
                        .address(wanted.getAddress())
                        .port(wanted.getPort())
                        .shutdownHook(false)
                        .shutdownGracePeriod(STOP_GRACE)
                        .maxPayloadSize(settings.maxPayloadBytes())
                        .maxTcpConnections(limits.total())
                        // The guard, which counts, comes first: this one's clock is of whole
                        // seconds.
                        .idleConnectionTimeout(limits.idle().plus(MAX_IDLE_PERIOD))
                        .idleConnectionPeriod(idlePeriod(limits.idle()))
                        .connectionOptions(new GuardedSockets(options, guard))
                        .directHandlers(errors)
                        // Otherwise the server adds a second HTTP/1.1, without the guard.
                        .protocolsDiscoverServices(false)
                        .addProtocol(
                                WsConfig.builder().maxFrameLength(settings.maxFrameBytes()).build())
                        .addConnectionSelector(http(guard, upgraders, settings.maxHeaderBytes()));
        settings.tls()
                .ifPresent(
                        context ->
                                builder.tls(Tls.builder().sslContext(context).build())
                                        // The other way looks up each client's name.
                                        .useNio(false));
        return builder;
    }

    private static GuardedHttp http(
            ConnectionGuard guard, List<Http1Upgrader> upgraders, int maxHeaderBytes) {
        var http =
                Http1ConnectionSelector.builder()
                        .config(
                                Http1Config.builder()
                                        .maxHeadersSize(maxHeaderBytes)
                                        .addReceiveListener(GuardedHttp.received(guard))
                                        .addSendListener(GuardedHttp.sent(guard))
                                        .build());
        upgraders.forEach(http::addUpgrader);
        return new GuardedHttp(guard, http.build());
    }

    private static void register(ConnectionGuard guard, Telemetry telemetry) {
        telemetry.counters(Metric.SIGNALING_CONNECTIONS_CLOSED, guard.closed());
        telemetry.gauge(Metric.SIGNALING_CONNECTIONS, guard::open);
    }

    /** Where it really listens. */
    public InetSocketAddress address() {
        return address;
    }

    // Connections are looked at in turns, so an idle one lives a little longer than it should.
    private static Duration idlePeriod(Duration idleTimeout) {
        Duration half = idleTimeout.dividedBy(2);
        return half.compareTo(MAX_IDLE_PERIOD) < 0 ? half : MAX_IDLE_PERIOD;
    }

    // The web server only logs why it cannot bind, at length, and comes back as if it had.
    private static void requireFree(InetSocketAddress address) {
        try {
            tryBind(address);
        } catch (IOException e) {
            throw cannotListen(address, String.valueOf(e.getMessage()));
        }
    }

    private static void tryBind(InetSocketAddress address) throws IOException {
        try (ServerSocketChannel probe = ServerSocketChannel.open()) {
            probe.bind(address);
        }
    }

    // The web server's own word is that it runs also when a failed accept has closed its socket.
    private boolean listens() {
        try {
            tryBind(address);
            return false;
        } catch (IOException _) {
            // Ours has the address, or there are no descriptors to find out with.
            return true;
        }
    }

    private synchronized boolean reopen() {
        if (closed) {
            return true;
        }
        server.stop();
        server = servers.apply(address).build().start();
        return server.isRunning();
    }

    private static void endProcess() {
        System.exit(EXIT_FAILED);
    }

    private static ConfigException cannotListen(InetSocketAddress address, String why) {
        return new ConfigException(
                "http_address: cannot listen on "
                        + HostPort.of(address)
                        + " ("
                        + why
                        + "); give an address of this machine and a port that is free");
    }

    @Override
    public synchronized void close() {
        closed = true;
        watch.close();
        server.stop();
        guard.close();
    }
}
