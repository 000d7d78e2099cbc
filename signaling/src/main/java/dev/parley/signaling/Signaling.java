package dev.parley.signaling;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.otel.grpc.ClientSpans;
import dev.parley.otel.trace.Tracing;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.load.Congestion;
import dev.parley.runtime.reload.Ticker;
import dev.parley.signaling.calls.Access;
import dev.parley.signaling.calls.Admission;
import dev.parley.signaling.calls.CallCounters;
import dev.parley.signaling.calls.CallDesk;
import dev.parley.signaling.calls.CallEndpoints;
import dev.parley.signaling.calls.CallIdSealer;
import dev.parley.signaling.calls.ClientSecretEndpoint;
import dev.parley.signaling.calls.Overflow;
import dev.parley.signaling.calls.StartingCalls;
import dev.parley.signaling.http.Cors;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.ErrorReplies;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.http.RequestBody;
import dev.parley.signaling.http.ResponseBasics;
import dev.parley.signaling.http.SignalingCounters;
import dev.parley.signaling.net.HttpListener;
import dev.parley.signaling.net.ReloadedTls;
import dev.parley.signaling.net.TrustedProxies;
import dev.parley.signaling.pool.Discovery;
import dev.parley.signaling.pool.DnsDiscovery;
import dev.parley.signaling.pool.KnownTransceivers;
import dev.parley.signaling.pool.KubernetesDiscovery;
import dev.parley.signaling.pool.TransceiverPool;
import dev.parley.signaling.steering.LocationHeaders;
import dev.parley.signaling.steering.Placement;
import dev.parley.signaling.trace.RequestTraces;
import dev.parley.signaling.whip.WhipEndpoint;
import dev.parley.signaling.ws.SocketCounters;
import dev.parley.signaling.ws.SocketEndpoint;
import dev.parley.signaling.ws.SocketLimits;
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
import java.util.stream.Collectors;
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
    private final Clusters clusters;
    private final List<Runnable> parts;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Signaling(
            HttpListener listener, Health health, Clusters clusters, List<Runnable> parts) {
        this.listener = listener;
        this.health = health;
        this.clusters = clusters;
        this.parts = parts;
    }

    /**
     * Binds the HTTP address and serves. Transceivers need not be up yet.
     *
     * @throws ConfigException when the address cannot be bound
     */
    public static Signaling start(SignalingConfig config, Telemetry telemetry) {
        List<Runnable> parts = new ArrayList<>();
        Tracing tracing = telemetry.tracing("signaling");
        ClientSpans spans = new ClientSpans(tracing);
        TransceiverPool pool =
                new TransceiverPool(
                        discovery(config),
                        config.loadInterval(),
                        config.createTimeout(),
                        config.controlTimeout(),
                        spans,
                        new KnownTransceivers(
                                config.transceiverCidrs(),
                                config.transceivers().stream()
                                        .map(HostPort::port)
                                        .collect(Collectors.toSet())));
        parts.add(pool::close);
        try {
            return serve(
                    config,
                    telemetry,
                    new RequestTraces(
                            tracing, telemetry.histogram(Metric.SIGNALING_REQUEST_DURATION)),
                    pool,
                    spans,
                    parts);
        } catch (RuntimeException e) {
            parts.forEach(Runnable::run);
            throw e;
        }
    }

    private static Signaling serve(
            SignalingConfig config,
            Telemetry telemetry,
            RequestTraces traces,
            TransceiverPool pool,
            ClientSpans spans,
            List<Runnable> parts) {
        SignalingCounters counters = new SignalingCounters();
        counters.register(telemetry);
        Cors cors = new Cors(config.allowedOrigins(), config.corsMaxAge());
        Health health = new Health(pool, cors);
        ErrorReplies errors =
                new ErrorReplies(counters, cors, WhipEndpoint.ROOT, RequestTraces::refused);
        Credentials credentials = Credentials.of(config, telemetry);
        parts.add(credentials::close);
        Optional<SSLContext> tls = tls(config, telemetry, parts);
        Congestion congestion = Congestion.watch(config.maxDelay());
        parts.add(congestion::close);
        Clusters clusters = Clusters.of(config, telemetry, pool, spans, tls);
        parts.add(clusters::close);
        HttpRouting.Builder routing =
                HttpRouting.builder()
                        .addFilter(new ResponseBasics(counters, cors))
                        .addFilter(traces)
                        .error(Throwable.class, errors)
                        .register(health);
        SocketEndpoint sockets =
                registerCalls(
                        routing,
                        config,
                        telemetry,
                        traces,
                        pool,
                        clusters,
                        congestion,
                        credentials,
                        errors,
                        cors);
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
                                Math.max(config.maxBodyBytes(), SocketEndpoint.MAX_FRAME_BYTES),
                                config.connectionLimits()),
                        List.of(routing),
                        List.of(sockets),
                        errors.directHandlers(),
                        telemetry);
        pool.start();
        LOGGER.log(
                Level.INFO,
                "signaling listens on {0}://{1}",
                tls.isPresent() ? "https" : "http",
                HostPort.of(listener.address()));
        return new Signaling(listener, health, clusters, parts);
    }

    private static Discovery discovery(SignalingConfig config) {
        return switch (config.transceiverDiscovery()) {
            case STATIC -> Discovery.fixed(config.transceivers());
            case DNS -> DnsDiscovery.ofSystem(config.transceivers());
            case KUBERNETES -> KubernetesDiscovery.ofPod(config.transceivers(), System.getenv());
        };
    }

    private static SocketEndpoint registerCalls(
            HttpRouting.Builder routing,
            SignalingConfig config,
            Telemetry telemetry,
            RequestTraces traces,
            TransceiverPool pool,
            Clusters clusters,
            Congestion congestion,
            Credentials credentials,
            ErrorReplies errors,
            Cors cors) {
        CallCounters counters = new CallCounters();
        counters.register(telemetry, pool::retries);
        telemetry.counters(
                Metric.SIGNALING_DISCOVERY_FAILURES,
                Map.of("transceivers", pool::discoveryFailures));
        Access access =
                credentials.access(
                        config,
                        new TrustedProxies(config.trustedProxies()),
                        new LocationHeaders(config.locationHeaders()));
        Placement placement = clusters.placement();
        StartingCalls starting = new StartingCalls(config.maxStarting());
        CallDesk desk =
                new CallDesk(
                        clusters.pool(),
                        new CallIdSealer(config.sealingKeys(), new SecureRandom()),
                        placement,
                        starting,
                        counters,
                        traces,
                        config.defaultModel());
        Overflow overflow = new Overflow(placement, access);
        Admission admission = new Admission(clusters.pool(), congestion, starting, overflow);
        admission.register(telemetry);
        routing.addFilter(admission)
                .addFilter(new RequestBody(config.maxBodyBytes(), config.receiveTimeout(), errors));
        SocketCounters socketCounters = new SocketCounters();
        socketCounters.register(telemetry);
        SocketEndpoint sockets =
                new SocketEndpoint(
                        desk,
                        access,
                        admission,
                        cors,
                        new SocketLimits(
                                config.maxBodyBytes(),
                                config.unreachableAfter(),
                                config.idleTimeout()),
                        socketCounters);
        routing.register(SocketEndpoint.PATH, sockets);
        routing.register(
                ClientSecretEndpoint.PATH,
                new ClientSecretEndpoint(credentials.secrets(), access, cors));
        routing.register(CallEndpoints.ROOT, new CallEndpoints(desk, access, cors));
        routing.register(
                WhipEndpoint.ROOT, new WhipEndpoint(desk, access, overflow, cors, config.whip()));
        routing.register(new Description(cors));
        return sockets;
    }

    private static Optional<SSLContext> tls(
            SignalingConfig config, Telemetry telemetry, List<Runnable> parts) {
        if (config.tlsCertificateFile().isEmpty()) {
            return Optional.empty();
        }
        ReloadedTls tls =
                new ReloadedTls(Path.of(config.tlsCertificateFile()), Path.of(config.tlsKeyFile()));
        telemetry.counters(
                Metric.SIGNALING_CERTIFICATE_FAILURES,
                Map.of("tls_certificate_file", tls::failures));
        Ticker ticker = Ticker.start("certificate-files", CERTIFICATE_CHECK_PERIOD, tls::check);
        parts.add(ticker::close);
        return Optional.of(tls.context());
    }

    /** Where the HTTP server really listens. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Where other clusters' signaling reaches this one; empty when it cannot. */
    public Optional<InetSocketAddress> clusterAddress() {
        return clusters.address();
    }

    /** Whether a cluster can be asked for new calls, by what was last heard of it. */
    boolean takesCalls(int cluster) {
        return clusters.pool().takesCalls(cluster);
    }

    /** Requests to the gateway that came from nobody of the fleet. */
    long gatewayRefusals() {
        return clusters.gatewayRefusals();
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
