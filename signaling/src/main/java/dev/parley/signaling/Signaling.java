package dev.parley.signaling;

import dev.parley.otel.Telemetry;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import io.helidon.webserver.http.HttpRouting;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The HTTP service that clients start their calls with. Owns its web server and the channels to the
 * transceivers; holds no call, so any instance with the same config can be killed at any time.
 */
public final class Signaling implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(Signaling.class.getName());

    private final HttpListener listener;
    private final TransceiverPool pool;
    private final Health health;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Signaling(HttpListener listener, TransceiverPool pool, Health health) {
        this.listener = listener;
        this.pool = pool;
        this.health = health;
    }

    /**
     * Binds the HTTP address and serves. Transceivers need not be up yet.
     *
     * @throws ConfigException when the address cannot be bound
     */
    public static Signaling start(SignalingConfig config, Telemetry telemetry) {
        TransceiverPool pool =
                new TransceiverPool(
                        config.transceivers(), config.createTimeout(), config.controlTimeout());
        try {
            return serve(config, telemetry, pool);
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    private static Signaling serve(
            SignalingConfig config, Telemetry telemetry, TransceiverPool pool) {
        SignalingCounters counters = new SignalingCounters();
        counters.register(telemetry, pool);
        Cors cors = new Cors(config.allowedOrigins(), config.corsMaxAge());
        Health health = new Health(pool, cors);
        ErrorReplies errors = new ErrorReplies(counters, cors);
        CallIdSealer sealer = new CallIdSealer(config.callIdKeyBytes(), new SecureRandom());
        CallEndpoints calls = new CallEndpoints(config, pool, sealer, counters, cors);
        HttpRouting.Builder routing =
                HttpRouting.builder()
                        .addFilter(new ResponseBasics(counters, cors))
                        .addFilter(new RequestBody(config, errors))
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
        HttpListener listener = HttpListener.start(config, routing, errors, telemetry);
        pool.warmUp();
        LOGGER.log(Level.INFO, "signaling listens on http://{0}", HostPort.of(listener.address()));
        return new Signaling(listener, pool, health);
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
        pool.close();
        LOGGER.log(Level.INFO, "signaling stopped");
    }
}
