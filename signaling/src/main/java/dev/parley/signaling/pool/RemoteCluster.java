package dev.parley.signaling.pool;

import com.google.protobuf.ByteString;
import dev.parley.otel.grpc.ClientSpans;
import dev.parley.otel.trace.CallTrace;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.TransceiverGrpc.TransceiverBlockingStub;
import dev.parley.proto.control.v1.TransceiverGrpc.TransceiverStub;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.reload.Ticker;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Another cluster, by its gateway. Owned by the {@link ClusterPool}; any thread may call. */
final class RemoteCluster implements AutoCloseable {
    private final URI gateway;
    private final ControlClient client;
    private final Duration controlTimeout;
    private final Ticker reports;
    private volatile boolean heard;

    /**
     * Connects, and asks for its load from now on.
     *
     * @param interval between two looks at its load
     * @param controlTimeout for each answer
     */
    RemoteCluster(
            int id,
            URI gateway,
            ClusterTransport transport,
            ClusterAuth auth,
            ClientSpans spans,
            Duration interval,
            Duration controlTimeout) {
        this.gateway = gateway;
        this.controlTimeout = controlTimeout;
        this.client =
                new ControlClient(
                        new HostPort(gateway.getHost(), gateway.getPort()),
                        spans,
                        builder -> transport.apply(builder, gateway).intercept(auth.towards(id)));
        String name = "cluster-report-" + id;
        var _ = Thread.ofVirtual().name(name).start(this::report);
        this.reports = Ticker.start(name, interval, this::report);
    }

    private void report() {
        try {
            client.connect();
            var _ = client.report(controlTimeout);
            heard = true;
        } catch (StatusRuntimeException _) {
            heard = false;
        }
    }

    URI gateway() {
        return gateway;
    }

    /** Whether its gateway answers and has room. */
    boolean takesCalls() {
        return heard && client.isAccepting() && client.findRest().isEmpty();
    }

    double load() {
        return client.load();
    }

    ControlClient client() {
        return client;
    }

    /** Creates a session on one of its transceivers. */
    TransceiverPool.Created create(
            CreateSessionRequest request, CallTrace call, Duration createTimeout) {
        AtomicReference<@Nullable InetSocketAddress> control = new AtomicReference<>();
        client.started();
        CreateSessionResponse response =
                client.within(createTimeout)
                        .withOption(ClientSpans.PARENT, call.root())
                        .withOption(ClusterAuth.FROM, control)
                        .createSession(
                                request.toBuilder()
                                        .setSessionId(ByteString.copyFrom(call.bytes()))
                                        .build());
        InetSocketAddress address = control.get();
        if (address == null || response.getSessionId().size() != CallId.SESSION_ID_BYTES) {
            throw Status.INTERNAL
                    .withDescription("the gateway's answer names no transceiver or no session")
                    .asRuntimeException();
        }
        return new TransceiverPool.Created(
                CallId.of(response.getSessionId().toByteArray(), address), response.getAnswerSdp());
    }

    /** Notes that it said it takes no new calls. */
    void refusedForNow() {
        client.refusedForNow();
    }

    /** A stub for one call to the transceiver of a session. */
    TransceiverBlockingStub stub(CallId id) {
        return client.within(controlTimeout).withOption(ClusterAuth.FOR, id.control());
    }

    /** The same for streams that last as long as calls do. */
    TransceiverStub streaming(CallId id) {
        return client.streaming().withOption(ClusterAuth.FOR, id.control());
    }

    @Override
    public void close() {
        reports.close();
        client.retire();
    }
}
