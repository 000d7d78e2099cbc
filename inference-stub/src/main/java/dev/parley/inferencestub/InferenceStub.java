package dev.parley.inferencestub;

import static java.lang.System.Logger.Level.INFO;

import dev.parley.otel.Telemetry;
import dev.parley.otel.grpc.ServerSpans;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A service that implements the inference contract, to talk to and to copy from: {@link Model}
 * lists what it can be. Owns its gRPC server and one timer thread.
 */
public final class InferenceStub implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger("dev.parley.inferencestub");
    private static final long TICK_MS = 50;
    private static final int MAX_MESSAGE_BYTES = 1 << 20;
    private static final int STREAM_WINDOW_BYTES = 64 * 1024;
    private static final long KEEPALIVE_SECONDS = 20;
    private static final long FASTEST_CLIENT_KEEPALIVE_SECONDS = 5;
    private static final long STOP_SECONDS = 2;

    private final Server server;
    private final VoiceAgentService service;
    private final HealthStatusManager health;
    private final ScheduledExecutorService timer;
    private final Duration drainTimeout;
    private final AtomicBoolean left = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();

    private InferenceStub(
            Server server,
            VoiceAgentService service,
            HealthStatusManager health,
            ScheduledExecutorService timer,
            Duration drainTimeout) {
        this.server = server;
        this.service = service;
        this.health = health;
        this.timer = timer;
        this.drainTimeout = drainTimeout;
    }

    /**
     * Starts serving.
     *
     * @throws ConfigException when the address cannot be bound
     */
    public static InferenceStub start(InferenceStubConfig config, Telemetry telemetry) {
        return start(config, telemetry, new StubObserver() {});
    }

    /** As {@link #start(InferenceStubConfig, Telemetry)}, with someone who sees what crosses. */
    public static InferenceStub start(
            InferenceStubConfig config, Telemetry telemetry, StubObserver observer) {
        InetSocketAddress address = config.grpcAddress().resolve("grpc_address");
        VoiceAgentService service =
                new VoiceAgentService(
                        config, telemetry, observer, System::nanoTime, new EspeakSynthesizer());
        HealthStatusManager health = new HealthStatusManager();
        Server server =
                NettyServerBuilder.forAddress(address)
                        // Callbacks run on the event loop because no agent blocks. A backend that
                        // calls a model from them needs an executor: one of virtual threads.
                        .directExecutor()
                        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                        // What is under way when a call is not read for a while is old when it is
                        // read at last: of 1 MiB, gRPC's default, it would be 20 s of PCM.
                        .flowControlWindow(STREAM_WINDOW_BYTES)
                        // An edge that vanished without a word is noticed by these pings.
                        .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
                        .permitKeepAliveTime(FASTEST_CLIENT_KEEPALIVE_SECONDS, TimeUnit.SECONDS)
                        .permitKeepAliveWithoutCalls(true)
                        .addService(service)
                        .intercept(new ServerSpans(telemetry.tracing("inference-stub")))
                        .addService(health.getHealthService())
                        .addService(ProtoReflectionServiceV1.newInstance())
                        .build();
        try {
            server.start();
        } catch (IOException e) {
            throw new ConfigException(
                    "grpc_address: cannot listen on "
                            + config.grpcAddress()
                            + " ("
                            + reason(e)
                            + "); choose a local address and a free port");
        }
        health.setStatus(VoiceAgentGrpc.SERVICE_NAME, ServingStatus.SERVING);
        ScheduledExecutorService timer =
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().daemon().name("inference-stub-timer").factory());
        InferenceStub stub =
                new InferenceStub(server, service, health, timer, config.drainTimeout());
        var _ = timer.scheduleAtFixedRate(service::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
        LOGGER.log(INFO, "inference stub listens on {0}", HostPort.of(stub.address()));
        return stub;
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.getListenSockets().getFirst();
    }

    /**
     * Told to stop: takes no new calls and waits until the edge has had other replicas go on with
     * the open ones, which it does when nothing is being said, or until {@code drain_timeout}.
     * Answers that it may be closed now.
     */
    public boolean drain() {
        notServing();
        service.leave();
        // Sends a GOAWAY, so that nothing new comes by connections that are there.
        server.shutdown();
        try {
            if (!service.awaitEmpty(drainTimeout)) {
                LOGGER.log(INFO, "drain_timeout is over: the calls that are left are broken off");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    /**
     * Takes no new calls and ends the open ones with UNAVAILABLE, so that the edge goes elsewhere.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        notServing();
        server.shutdown();
        service.endAll(VoiceAgentService.STOPPING);
        timer.shutdownNow();
        try {
            if (!server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                server.shutdownNow();
            }
        } catch (InterruptedException _) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    private void notServing() {
        if (left.compareAndSet(false, true)) {
            health.enterTerminalState();
        }
    }

    private static String reason(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }
}
