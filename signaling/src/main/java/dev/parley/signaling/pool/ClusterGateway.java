package dev.parley.signaling.pool;

import dev.parley.proto.control.ErrorTrailers;
import dev.parley.proto.control.v1.DescribeLoadRequest;
import dev.parley.proto.control.v1.DescribeLoadResponse;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;

/**
 * Where signaling of other clusters reaches this cluster's transceivers: speaks their control
 * protocol and passes each call on, a new session to one that has room, all else to the one that is
 * named. It passes nothing on to other clusters. Owned by Signaling.
 */
public final class ClusterGateway implements AutoCloseable {
    private static final long STOP_SECONDS = 1;

    private final TransceiverPool pool;
    private final ClusterAuth auth;
    private final BooleanSupplier takesCalls;
    private final LongAdder refused = new LongAdder();
    private final LongAdder unknown = new LongAdder();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HealthStatusManager health = new HealthStatusManager();
    private final Server server;

    /**
     * Starts serving.
     *
     * @param address to listen at
     * @param transport of the server: its TLS, if any
     * @param takesCalls whether new calls may come to this cluster
     * @throws ConfigException when the address cannot be bound
     */
    public ClusterGateway(
            InetSocketAddress address,
            UnaryOperator<NettyServerBuilder> transport,
            TransceiverPool pool,
            ClusterAuth auth,
            BooleanSupplier takesCalls) {
        this.pool = pool;
        this.auth = auth;
        this.takesCalls = takesCalls;
        try {
            server =
                    transport
                            .apply(NettyServerBuilder.forAddress(address))
                            .executor(threads)
                            .permitKeepAliveTime(10, TimeUnit.SECONDS)
                            .addService(service())
                            .addService(health.getHealthService())
                            .addService(ProtoReflectionServiceV1.newInstance())
                            .build()
                            .start();
        } catch (IOException e) {
            throw new ConfigException(
                    "cluster_address: cannot listen at "
                            + HostPort.of(address)
                            + ": "
                            + e.getMessage()
                            + "; free it or give an address of this machine");
        }
        health.setStatus(TransceiverGrpc.SERVICE_NAME, ServingStatus.SERVING);
    }

    /** TLS of a server whose keys the given context has. */
    public static SslContext tls(SSLContext context) {
        return new JdkSslContext(
                context,
                false,
                null,
                IdentityCipherSuiteFilter.INSTANCE,
                new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2),
                ClientAuth.NONE,
                null,
                false);
    }

    private ServerServiceDefinition service() {
        ServerServiceDefinition.Builder service =
                ServerServiceDefinition.builder(TransceiverGrpc.getServiceDescriptor());
        service.addMethod(
                TransceiverGrpc.getCreateSessionMethod(),
                guarded(
                        (call, headers) ->
                                create(TransceiverGrpc.getCreateSessionMethod(), call, headers)));
        service.addMethod(
                TransceiverGrpc.getDescribeLoadMethod(),
                guarded(ServerCalls.asyncUnaryCall(this::describeLoad)));
        named(service, TransceiverGrpc.getUpdateSessionMethod());
        named(service, TransceiverGrpc.getCloseSessionMethod());
        named(service, TransceiverGrpc.getDescribeSessionMethod());
        named(service, TransceiverGrpc.getJoinEventsMethod());
        // Whether a transceiver drains is for its own cluster to say.
        service.addMethod(
                TransceiverGrpc.getSetDrainingMethod(),
                (call, _) -> refuse(call, Status.PERMISSION_DENIED, new Metadata()));
        return service.build();
    }

    private <Q, A> void named(
            ServerServiceDefinition.Builder service, MethodDescriptor<Q, A> method) {
        service.addMethod(method, guarded((call, headers) -> passOn(method, call, headers)));
    }

    private <Q, A> ServerCallHandler<Q, A> guarded(ServerCallHandler<Q, A> handler) {
        return (call, headers) -> {
            if (auth.isOurs(headers, call.getMethodDescriptor().getFullMethodName())) {
                return handler.startCall(call, headers);
            }
            refused.increment();
            return refuse(call, Status.UNAUTHENTICATED, new Metadata());
        };
    }

    private static <Q, A> ServerCall.Listener<Q> refuse(
            ServerCall<Q, A> call, Status status, Metadata trailers) {
        call.close(status, trailers);
        return new ServerCall.Listener<>() {};
    }

    // One transceiver, once: a session id must not be used twice, so the asker tries again.
    private <Q, A> ServerCall.Listener<Q> create(
            MethodDescriptor<Q, A> method, ServerCall<Q, A> call, Metadata headers) {
        Optional<ControlClient> chosen =
                takesCalls.getAsBoolean() ? pool.findRoom() : Optional.empty();
        if (chosen.isEmpty()) {
            Metadata trailers = new Metadata();
            trailers.put(ErrorTrailers.CODE, ErrorTrailers.DRAINING);
            return refuse(call, Status.UNAVAILABLE, trailers);
        }
        ControlClient client = chosen.get();
        client.started();
        return ProxiedCall.start(
                call,
                client.channel().newCall(method, CallOptions.DEFAULT),
                forwarded(headers),
                ClusterGateway::nameAnswerer,
                () -> {});
    }

    private static void nameAnswerer(ClientCall<?, ?> asked, Metadata headers) {
        if (asked.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)
                instanceof InetSocketAddress address) {
            headers.put(ClusterAuth.CONTROL, HostPort.of(address).toString());
        }
    }

    private <Q, A> ServerCall.Listener<Q> passOn(
            MethodDescriptor<Q, A> method, ServerCall<Q, A> call, Metadata headers) {
        Optional<InetSocketAddress> control = ClusterAuth.control(headers);
        if (control.isEmpty()) {
            return refuse(call, Status.INVALID_ARGUMENT, new Metadata());
        }
        Optional<TransceiverPool.Owner> found = pool.findOwner(control.get());
        if (found.isEmpty()) {
            unknown.increment();
            return refuse(call, Status.NOT_FOUND, new Metadata());
        }
        TransceiverPool.Owner owner = found.get();
        return ProxiedCall.start(
                call,
                owner.client().channel().newCall(method, CallOptions.DEFAULT),
                forwarded(headers),
                (_, _) -> {},
                owner.release());
    }

    private static Metadata forwarded(Metadata headers) {
        headers.discardAll(ClusterAuth.CREDENTIAL);
        headers.discardAll(ClusterAuth.CONTROL);
        return headers;
    }

    private void describeLoad(
            DescribeLoadRequest request, StreamObserver<DescribeLoadResponse> answer) {
        TransceiverPool.Room room = pool.room();
        answer.onNext(
                DescribeLoadResponse.newBuilder()
                        .setSessions(room.sessions())
                        .setMaxSessions(room.maxSessions())
                        .setDraining(!takesCalls.getAsBoolean() || !room.takesCalls())
                        .build());
        answer.onCompleted();
    }

    /** Where it really listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.getListenSockets().getFirst();
    }

    /** Calls that came from nobody of this fleet. */
    public long refused() {
        return refused.sum();
    }

    /** Calls for what was never a transceiver of this cluster. */
    public long unknown() {
        return unknown.sum();
    }

    @Override
    public void close() {
        health.enterTerminalState();
        server.shutdown();
        try {
            if (!server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                server.shutdownNow();
            }
        } catch (InterruptedException _) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        threads.shutdownNow();
    }
}
