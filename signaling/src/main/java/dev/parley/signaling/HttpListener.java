package dev.parley.signaling;

import dev.parley.otel.Telemetry;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.Map;

/**
 * The web server with its limits, and with what it leaves to its users: telling why it could not
 * bind, and waiting for headers only so long. Owned by {@link Signaling}.
 */
final class HttpListener implements AutoCloseable {
    private static final Duration STOP_GRACE = Duration.ofSeconds(1);
    private static final Duration MAX_IDLE_PERIOD = Duration.ofSeconds(10);

    private final WebServer server;
    private final HeaderDeadline headerDeadline;
    private final InetSocketAddress address;

    private HttpListener(
            WebServer server, HeaderDeadline headerDeadline, InetSocketAddress address) {
        this.server = server;
        this.headerDeadline = headerDeadline;
        this.address = address;
    }

    /**
     * Binds and serves.
     *
     * @param errors what answers requests that do not get as far as the routing
     * @throws ConfigException when the address cannot be bound
     */
    static HttpListener start(
            SignalingConfig config,
            HttpRouting.Builder routing,
            ErrorReplies errors,
            Telemetry telemetry) {
        InetSocketAddress wanted = config.httpAddress().resolve("http_address");
        requireFree(wanted);
        HeaderDeadline deadline = new HeaderDeadline(config.receiveTimeout(), System::nanoTime);
        telemetry.counters(
                "parley.signaling.late_headers",
                "Connections closed because their request headers did not arrive in time",
                "{connection}",
                "reason",
                Map.of("timeout", deadline::late));
        WebServer server =
                WebServer.builder()
                        .address(wanted.getAddress())
                        .port(wanted.getPort())
                        .shutdownHook(false)
                        .shutdownGracePeriod(STOP_GRACE)
                        .maxPayloadSize(
                                (long) config.maxBodyBytes() * RequestBody.DRAINED_TIMES_LIMIT)
                        .maxTcpConnections(config.maxConnections())
                        .idleConnectionTimeout(config.idleTimeout())
                        .idleConnectionPeriod(idlePeriod(config))
                        .connectionOptions(options -> options.tcpNoDelay(true))
                        .directHandlers(errors.directHandlers())
                        // Otherwise the server adds a second HTTP/1.1, without the deadline.
                        .protocolsDiscoverServices(false)
                        .addProtocol(Http1Config.builder().addReceiveListener(deadline).build())
                        .routing(routing)
                        .build()
                        .start();
        if (!server.isRunning()) {
            throw cannotListen(wanted, "see the log");
        }
        deadline.start();
        return new HttpListener(
                server, deadline, new InetSocketAddress(wanted.getAddress(), server.port()));
    }

    /** Where it really listens. */
    InetSocketAddress address() {
        return address;
    }

    // Connections are looked at in turns, so an idle one lives a little longer than it should.
    private static Duration idlePeriod(SignalingConfig config) {
        Duration half = config.idleTimeout().dividedBy(2);
        return half.compareTo(MAX_IDLE_PERIOD) < 0 ? half : MAX_IDLE_PERIOD;
    }

    // The web server only logs why it cannot bind, at length, and comes back as if it had.
    private static void requireFree(InetSocketAddress address) {
        try (ServerSocketChannel probe = ServerSocketChannel.open()) {
            probe.bind(address);
        } catch (IOException e) {
            throw cannotListen(address, String.valueOf(e.getMessage()));
        }
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
    public void close() {
        server.stop();
        headerDeadline.close();
    }
}
