package dev.parley.transceiver.control;

import dev.parley.otel.grpc.ServerSpans;
import dev.parley.otel.trace.Tracing;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.udp.IpAddress;
import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The gRPC server of the control API, with gRPC's health and reflection services. */
public final class ControlServer implements AutoCloseable {
    private static final int MAX_REQUEST_BYTES = 1 << 20;
    private static final long KEEP_ALIVE_SECONDS = 30;
    private static final long CLOSE_SECONDS = 2;

    private final Server server;
    private final HealthStatusManager health;
    private final ExecutorService requests;
    private final InetSocketAddress bound;

    private ControlServer(
            Server server,
            HealthStatusManager health,
            ExecutorService requests,
            InetSocketAddress bound) {
        this.server = server;
        this.health = health;
        this.requests = requests;
        this.bound = bound;
    }

    /**
     * Starts serving.
     *
     * @throws ConfigException when the address cannot be bound
     */
    public static ControlServer start(
            InetSocketAddress address, ControlService service, Tracing tracing) {
        HealthStatusManager health = new HealthStatusManager();
        ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
        Server server =
                NettyServerBuilder.forAddress(address)
                        .addService(service)
                        .intercept(new ServerSpans(tracing))
                        .addService(health.getHealthService())
                        .addService(ProtoReflectionServiceV1.newInstance())
                        .executor(requests)
                        .maxInboundMessageSize(MAX_REQUEST_BYTES)
                        // A sideband's stream is long, and signaling wants to know whom it talks
                        // to.
                        .permitKeepAliveTime(KEEP_ALIVE_SECONDS / 2, TimeUnit.SECONDS)
                        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                        .build();
        try {
            server.start();
        } catch (IOException e) {
            requests.shutdownNow();
            Throwable reason = e.getCause() == null ? e : e.getCause();
            throw new ConfigException(
                    "control_address: cannot bind TCP "
                            + IpAddress.text(address)
                            + ": "
                            + reason.getMessage()
                            + "; free it or give an address of this machine");
        }
        InetSocketAddress bound = new InetSocketAddress(address.getAddress(), server.getPort());
        ControlServer started = new ControlServer(server, health, requests, bound);
        started.serving(true);
        return started;
    }

    public InetSocketAddress address() {
        return bound;
    }

    /** Tells health checks whether new calls should come here. */
    public void serving(boolean now) {
        ServingStatus status = now ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, status);
        health.setStatus(TransceiverGrpc.SERVICE_NAME, status);
    }

    /** Tells health checks that nothing new should come here any more. */
    public void drain() {
        health.enterTerminalState();
    }

    @Override
    public void close() {
        server.shutdown();
        try {
            if (!server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                server.shutdownNow();
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        requests.shutdownNow();
    }
}
