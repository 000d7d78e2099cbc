package dev.parley.signaling;

import dev.parley.otel.Telemetry;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.signaling.net.HttpListener;
import dev.parley.signaling.net.ReloadedTls;
import dev.parley.signaling.net.TrustedProxies;
import dev.parley.signaling.reload.Ticker;
import io.helidon.webserver.http.HttpRouting;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;

/**
 * The HTTP service that clients start their calls with. Owns its web server and the channels to the
 * transceivers; holds no call, so any instance with the same config can be killed at any time.
 */
public final class Signaling implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(Signaling.class.getName());
    private static final Duration CERTIFICATE_CHECK_PERIOD = Duration.ofSeconds(5);

    private final HttpListener listener;
    private final Health health;
    private final List<Runnable> parts;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Signaling(HttpListener listener, Health health, List<Runnable> parts) {
        this.listener = listener;
        this.health = health;
        this.parts = parts;
    }

    /**
     * Binds the HTTP address and serves. Transceivers need not be up yet.
     *
     * @throws ConfigException when the address cannot be bound
     */
    public static Signaling start(SignalingConfig config, Telemetry telemetry) {
        List<Runnable> parts = new ArrayList<>();
        TransceiverPool pool =
                new TransceiverPool(
                        config.transceivers(), config.createTimeout(), config.controlTimeout());
        parts.add(pool::close);
        try {
            return serve(config, telemetry, pool, parts);
        } catch (RuntimeException e) {
            parts.forEach(Runnable::run);
            throw e;
        }
    }

    private static Signaling serve(
            SignalingConfig config,
            Telemetry telemetry,
            TransceiverPool pool,
            List<Runnable> parts) {
        SignalingCounters counters = new SignalingCounters();
        counters.register(telemetry, pool);
        Cors cors = new Cors(config.allowedOrigins(), config.corsMaxAge());
        Health health = new Health(pool, cors);
        ErrorReplies errors = new ErrorReplies(counters, cors);
        Credentials credentials = Credentials.of(config, telemetry);
        parts.add(credentials::close);
        Optional<SSLContext> tls = tls(config, telemetry, parts);
        HttpRouting.Builder routing =
                HttpRouting.builder()
                        .addFilter(new ResponseBasics(counters, cors))
                        .addFilter(new RequestBody(config, errors))
                        .error(Throwable.class, errors)
                        .register(health);
        registerCalls(routing, config, pool, credentials, counters, cors);
        if (config.demoPage()) {
            DemoPage.register(routing);
        }
        routing.any(
                (_, _) -> {
                    throw new RefusedException(ErrorCode.NOT_FOUND, "There is nothing here.");
                });
        HttpListener listener =
                HttpListener.start(
                        new HttpListener.Settings(
                                config.httpAddress(),
                                tls,
                                (long) config.maxBodyBytes() * RequestBody.DRAINED_TIMES_LIMIT,
                                config.maxHeaderBytes(),
                                config.connectionLimits()),
                        List.of(routing),
                        List.of(),
                        errors.directHandlers(),
                        telemetry);
        pool.watch(config.loadInterval());
        LOGGER.log(
                Level.INFO,
                "signaling listens on {0}://{1}",
                tls.isPresent() ? "https" : "http",
                HostPort.of(listener.address()));
        return new Signaling(listener, health, parts);
    }

    private static void registerCalls(
            HttpRouting.Builder routing,
            SignalingConfig config,
            TransceiverPool pool,
            Credentials credentials,
            SignalingCounters counters,
            Cors cors) {
        TrustedProxies proxies = new TrustedProxies(config.trustedProxies());
        Access access = credentials.access(config, proxies);
        CallIdSealer sealer = new CallIdSealer(config.sealingKeys(), new SecureRandom());
        routing.register(
                CallEndpoints.ROOT,
                new CallEndpoints(config, pool, sealer, access, counters, cors));
        routing.register(
                ClientSecretEndpoint.PATH,
                new ClientSecretEndpoint(credentials.secrets(), access, cors));
    }

    private static Optional<SSLContext> tls(
            SignalingConfig config, Telemetry telemetry, List<Runnable> parts) {
        if (config.tlsCertificateFile().isEmpty()) {
            return Optional.empty();
        }
        ReloadedTls tls =
                new ReloadedTls(Path.of(config.tlsCertificateFile()), Path.of(config.tlsKeyFile()));
        telemetry.counters(
                "parley.signaling.certificate_failures",
                "Times that a changed certificate could not be used",
                "{failure}",
                "source",
                Map.of("tls_certificate_file", tls::failures));
        Ticker ticker = Ticker.start("certificate-files", CERTIFICATE_CHECK_PERIOD, tls::check);
        parts.add(ticker::close);
        return Optional.of(tls.context());
    }

    /** Where the HTTP server really listens. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Stops within two seconds, whatever clients do. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        health.stopping();
        listener.close();
        parts.forEach(Runnable::run);
        LOGGER.log(Level.INFO, "signaling stopped");
    }
}
