package dev.parley.signaling;

import dev.parley.otel.Telemetry;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The HTTP service that clients start their calls with. Owns its web server and the channels to the
 * transceivers; holds no call, so any instance with the same config can be killed at any time.
 */
public final class Signaling implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(Signaling.class.getName());
    private static final Duration STOP_GRACE = Duration.ofSeconds(1);
    private static final Duration MAX_IDLE_PERIOD = Duration.ofSeconds(10);

    private final WebServer server;
    private final TransceiverPool pool;
    private final Health health;
    private final HeaderDeadline headerDeadline;
    private final InetSocketAddress address;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Signaling(
            WebServer server,
            TransceiverPool pool,
            Health health,
            HeaderDeadline headerDeadline,
            InetSocketAddress address) {
        this.headerDeadline = headerDeadline;
        this.server = server;
        this.pool = pool;
        this.health = health;
        this.address = address;
    }

    /**
     * Binds the HTTP address and serves. Transceivers need not be up yet.
     *
     * @throws ConfigException when the address cannot be bound
     */
    public static Signaling start(SignalingConfig config, Telemetry telemetry) {
        InetSocketAddress wanted = config.httpAddress().resolve("http_address");
        requireFree(wanted);
        TransceiverPool pool =
                new TransceiverPool(
                        config.transceivers(), config.createTimeout(), config.controlTimeout());
        SignalingCounters counters = new SignalingCounters();
        counters.register(telemetry, pool);
        Cors cors = new Cors(config.allowedOrigins(), config.corsMaxAge());
        Health health = new Health(pool, cors);
        ErrorReplies errors = new ErrorReplies(counters, cors);
        CallEndpoints calls =
                new CallEndpoints(
                        config,
                        pool,
                        new CallIdSealer(config.callIdKeyBytes(), new SecureRandom()),
                        new CallLimiter(
                                config.rateLimitPerMinute(),
                                config.rateLimitBurst(),
                                System::nanoTime),
                        counters,
                        cors);
        HttpRouting.Builder routing =
                HttpRouting.builder()
                        .addFilter(new ResponseBasics(counters, cors))
                        .addFilter(
                                new RequestBody(
                                        config.maxBodyBytes(), config.receiveTimeout(), errors))
                        .error(Throwable.class, errors)
                        .register(CallEndpoints.ROOT, calls)
                        .register(health);
        if (config.demoPage()) {
            DemoPage.register(routing);
        }
        routing.any(
                (_, _) -> {
                    throw new RefusedException(ErrorCode.NOT_FOUND, "There is nothing here.");
                });
        HeaderDeadline headerDeadline =
                new HeaderDeadline(config.receiveTimeout(), System::nanoTime).start();
        telemetry.counters(
                "parley.signaling.late_headers",
                "Connections closed because their request headers did not arrive in time",
                "{connection}",
                "reason",
                Map.of("timeout", headerDeadline::late));
        WebServer server = webServer(config, wanted, routing, errors, headerDeadline).start();
        if (!server.isRunning()) {
            headerDeadline.close();
            pool.close();
            throw cannotListen(wanted, "see the log");
        }
        pool.warmUp();
        InetSocketAddress bound = new InetSocketAddress(wanted.getAddress(), server.port());
        LOGGER.log(Level.INFO, "signaling listens on http://{0}", HostPort.of(bound));
        return new Signaling(server, pool, health, headerDeadline, bound);
    }

    private static WebServer webServer(
            SignalingConfig config,
            InetSocketAddress address,
            HttpRouting.Builder routing,
            ErrorReplies errors,
            HeaderDeadline headerDeadline) {
        return WebServer.builder()
                .address(address.getAddress())
                .port(address.getPort())
                .shutdownHook(false)
                .shutdownGracePeriod(STOP_GRACE)
                .maxPayloadSize((long) config.maxBodyBytes() * RequestBody.DRAINED_TIMES_LIMIT)
                .maxTcpConnections(config.maxConnections())
                .idleConnectionTimeout(config.idleTimeout())
                .connectionOptions(options -> options.tcpNoDelay(true))
                .idleConnectionPeriod(idlePeriod(config))
                .directHandlers(errors.directHandlers())
                .protocolsDiscoverServices(false)
                .addProtocol(Http1Config.builder().addReceiveListener(headerDeadline).build())
                .routing(routing)
                .build();
    }

    /** Where the HTTP server really listens. */
    public InetSocketAddress address() {
        return address;
    }

    /** Stops within two seconds, whatever clients do. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        health.stopping();
        server.stop();
        headerDeadline.close();
        pool.close();
        LOGGER.log(Level.INFO, "signaling stopped");
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
}
