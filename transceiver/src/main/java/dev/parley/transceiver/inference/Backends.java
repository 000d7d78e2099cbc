package dev.parley.transceiver.inference;

import dev.parley.otel.grpc.ClientSpans;
import dev.parley.otel.trace.Tracing;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.runtime.config.ConfigException;
import dev.parley.transceiver.media.AudioCounters;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The inference services that this transceiver knows, by model: one channel for each address, open
 * from the start so that no call waits for a connection. Shared by all threads.
 */
public final class Backends implements AutoCloseable {
    /** The key of the backend that takes every model without one of its own. */
    public static final String ANY_MODEL = "*";

    private static final int MAX_MESSAGE_BYTES = (1 << 20) + (1 << 16);

    /** Unread output that a backend may push at one stream; more waits on its side. */
    private static final int STREAM_WINDOW_BYTES = 256 * 1024;

    private static final long CLOSE_SECONDS = 2;

    private final Map<String, ManagedChannel> byModel = new HashMap<>();
    private final Map<String, ManagedChannel> byTarget = new HashMap<>();
    private final AudioCounters counters;
    private final ClientSpans spans;
    private final ScheduledExecutorService timers =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("inference-timers").factory());

    /**
     * Opens the channels.
     *
     * @param targets model, or {@link #ANY_MODEL}, to {@code host:port}
     * @param keepalive silence on a connection after which it is probed; a backend must permit it
     * @throws ConfigException when a target is no {@code host:port}
     */
    public static Backends open(
            Map<String, String> targets, Duration keepalive, AudioCounters counters) {
        return open(targets, keepalive, counters, Tracing.none());
    }

    /** As above, with streams that are spans of their calls. */
    public static Backends open(
            Map<String, String> targets,
            Duration keepalive,
            AudioCounters counters,
            Tracing tracing) {
        Backends backends = new Backends(counters, new ClientSpans(tracing));
        try {
            targets.forEach((model, target) -> backends.add(model, target, keepalive));
            return backends;
        } catch (IllegalArgumentException e) {
            backends.close();
            throw new ConfigException(
                    "backends: "
                            + e.getMessage()
                            + "; write model: host:port, for instance"
                            + " \"*\": 127.0.0.1:9090");
        }
    }

    private Backends(AudioCounters counters, ClientSpans spans) {
        this.counters = counters;
        this.spans = spans;
    }

    /** What is counted in all calls. */
    AudioCounters counters() {
        return counters;
    }

    private void add(String model, String target, Duration keepalive) {
        ManagedChannel channel =
                byTarget.computeIfAbsent(
                        target,
                        t ->
                                NettyChannelBuilder.forTarget(t)
                                        .usePlaintext()
                                        .intercept(spans)
                                        // Listeners of ours never block, so no thread hop.
                                        .directExecutor()
                                        // A name may stand for many replicas.
                                        .defaultLoadBalancingPolicy("round_robin")
                                        .flowControlWindow(STREAM_WINDOW_BYTES)
                                        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                                        .keepAliveTime(keepalive.toMillis(), TimeUnit.MILLISECONDS)
                                        .idleTimeout(30, TimeUnit.DAYS)
                                        .build());
        byModel.put(model, channel);
        var _ = channel.getState(true);
    }

    /** Whether a model can be served. */
    public boolean serves(String model) {
        return channel(model) != null;
    }

    /**
     * Opens one call's stream.
     *
     * @throws IllegalArgumentException when no backend serves the model
     */
    public InferenceStream converse(SessionStart start, InferenceStream.Listener listener) {
        ManagedChannel channel = channel(start.getModel());
        if (channel == null) {
            throw new IllegalArgumentException("no backend for model " + start.getModel());
        }
        if (channel.getState(true) == ConnectivityState.TRANSIENT_FAILURE) {
            // A caller waits now; without this it would wait for gRPC's back-off, up to two
            // minutes.
            channel.resetConnectBackoff();
        }
        return InferenceStream.open(channel, timers, counters, start, listener);
    }

    private @Nullable ManagedChannel channel(String model) {
        ManagedChannel own = byModel.get(model);
        return own != null ? own : byModel.get(ANY_MODEL);
    }

    /** Breaks off what streams are left, after a short time to end well. */
    @Override
    public void close() {
        byTarget.values().forEach(ManagedChannel::shutdown);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        try {
            for (ManagedChannel channel : byTarget.values()) {
                channel.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                channel.shutdownNow();
            }
        } catch (InterruptedException e) {
            byTarget.values().forEach(ManagedChannel::shutdownNow);
            Thread.currentThread().interrupt();
        }
        timers.shutdownNow();
    }
}
