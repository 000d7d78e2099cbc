package dev.parley.signaling.pool;

import com.google.protobuf.ByteString;
import dev.parley.otel.grpc.ClientSpans;
import dev.parley.proto.control.v1.CloseSessionRequest;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.DescribeSessionRequest;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.TransceiverGrpc.TransceiverBlockingStub;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.runtime.cluster.Cluster;
import dev.parley.runtime.cluster.ClusterMap;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.steering.ClusterView;
import dev.parley.signaling.trace.RequestTrace;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.opentelemetry.api.trace.SpanContext;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Hands calls to clusters: to this one's transceivers, or through another one's gateway; and what
 * concerns a call to the cluster that its id names. Owned by Signaling; any thread may call.
 */
public final class ClusterPool implements ClusterView, AutoCloseable {
    /** Clusters that may fail a caller before the caller is told. */
    private static final int MAX_CLUSTERS = 3;

    /** Transceivers of another cluster that may. */
    private static final int MAX_ATTEMPTS = 2;

    private final TransceiverPool own;
    private final int ownCluster;
    private final ClusterAuth auth;
    private final ClientSpans spans;
    private final ClusterTransport transport;
    private final Duration interval;
    private final Duration createTimeout;
    private final Duration controlTimeout;
    private volatile Map<Integer, RemoteCluster> remotes = Map.of();

    /**
     * Knows this cluster alone.
     *
     * @param transport to other clusters' gateways
     * @param interval between two looks at another cluster's load
     * @param createTimeout for one transceiver to answer an offer
     * @param controlTimeout for everything else
     */
    public ClusterPool(
            TransceiverPool own,
            int ownCluster,
            ClusterAuth auth,
            ClientSpans spans,
            ClusterTransport transport,
            Duration interval,
            Duration createTimeout,
            Duration controlTimeout) {
        this.own = own;
        this.ownCluster = ownCluster;
        this.auth = auth;
        this.spans = spans;
        this.transport = transport;
        this.interval = interval;
        this.createTimeout = createTimeout;
        this.controlTimeout = controlTimeout;
    }

    /**
     * From now on the clusters of this map. Calls that are with others can still be reached. When
     * it fails nothing has changed.
     */
    public synchronized void follow(ClusterMap map) {
        Map<Integer, RemoteCluster> before = remotes;
        Map<Integer, RemoteCluster> next = new HashMap<>();
        try {
            for (Cluster cluster : map.clusters()) {
                if (cluster.id() != ownCluster && cluster.signaling().isPresent()) {
                    next.put(cluster.id(), known(cluster.id(), cluster.signaling().get()));
                }
            }
        } catch (RuntimeException e) {
            closeOthers(next, before);
            throw e;
        }
        remotes = Map.copyOf(next);
        closeOthers(before, next);
    }

    private static void closeOthers(
            Map<Integer, RemoteCluster> left, Map<Integer, RemoteCluster> kept) {
        left.forEach(
                (id, remote) -> {
                    if (kept.get(id) != remote) {
                        remote.close();
                    }
                });
    }

    private RemoteCluster known(int id, URI gateway) {
        RemoteCluster known = remotes.get(id);
        return known != null && known.gateway().equals(gateway)
                ? known
                : new RemoteCluster(id, gateway, transport, auth, spans, interval, controlTimeout);
    }

    @Override
    public boolean takesCalls(int cluster) {
        if (cluster == ownCluster) {
            return own.room().takesCalls();
        }
        RemoteCluster remote = remotes.get(cluster);
        return remote != null && remote.takesCalls();
    }

    @Override
    public double load(int cluster) {
        if (cluster == ownCluster) {
            TransceiverPool.Room room = own.room();
            return (double) room.sessions() / Math.max(1, room.maxSessions());
        }
        RemoteCluster remote = remotes.get(cluster);
        return remote == null ? 1 : remote.load();
    }

    /** Why no cluster takes calls at this moment, as far as that is known; empty when one may. */
    public Optional<ErrorCode> findRest() {
        return own.findRest()
                .filter(_ -> remotes.values().stream().noneMatch(RemoteCluster::takesCalls));
    }

    /**
     * A session that was just created.
     *
     * @param cluster where
     */
    public record Placed(int cluster, TransceiverPool.Created call) {}

    /**
     * Creates a session in the first of some clusters that takes it.
     *
     * @param owners ids of clusters, best first
     * @throws RefusedException when none did, or the request is at fault
     */
    public Placed create(List<Integer> owners, CreateSessionRequest request, RequestTrace trace) {
        RefusedException refusal = null;
        for (int cluster : owners.subList(0, Math.min(MAX_CLUSTERS, owners.size()))) {
            try {
                return new Placed(cluster, create(cluster, request, trace));
            } catch (RefusedException e) {
                if (!isWorthAskingElsewhere(e)) {
                    throw e;
                }
                refusal = refusal == null ? e : refusal;
            }
        }
        throw refusal == null
                ? new RefusedException(
                        ErrorCode.SERVICE_UNAVAILABLE,
                        "No voice server is available. Try again shortly.")
                : refusal;
    }

    private static boolean isWorthAskingElsewhere(RefusedException refusal) {
        return switch (refusal.code()) {
            case CAPACITY_EXCEEDED,
                    SERVICE_UNAVAILABLE,
                    DRAINING,
                    SHUTTING_DOWN,
                    OVERLOADED,
                    UPSTREAM_TIMEOUT,
                    INFERENCE_UNAVAILABLE,
                    INFERENCE_TIMEOUT,
                    MODEL_OVERLOADED ->
                    true;
            default -> false;
        };
    }

    private TransceiverPool.Created create(
            int cluster, CreateSessionRequest request, RequestTrace trace) {
        if (cluster == ownCluster) {
            return own.create(request, trace);
        }
        RemoteCluster remote = remote(cluster);
        int attempts = 0;
        while (true) {
            try {
                return remote.create(request, trace.attempt(), createTimeout);
            } catch (StatusRuntimeException e) {
                attempts++;
                ControlErrors.findRest(e).ifPresent(remote.client()::rest);
                if (ControlErrors.isDraining(e)) {
                    remote.refusedForNow();
                }
                if (attempts == MAX_ATTEMPTS || !ControlErrors.isWorthRetrying(e)) {
                    throw own.refusal(remote.client(), e, ErrorCode.MODEL_NOT_FOUND);
                }
            }
        }
    }

    private RemoteCluster remote(int cluster) {
        RemoteCluster remote = remotes.get(cluster);
        if (remote == null) {
            throw ControlErrors.toRefusal(
                    Status.UNAVAILABLE.asRuntimeException(), ErrorCode.CALL_NOT_FOUND);
        }
        return remote;
    }

    private boolean isOurs(CallId id) {
        return id.cluster() == ownCluster;
    }

    private <T> T onOwner(CallId id, Function<TransceiverBlockingStub, T> call) {
        RemoteCluster remote = remote(id.cluster());
        try {
            return call.apply(remote.stub(id));
        } catch (StatusRuntimeException e) {
            throw own.refusal(remote.client(), e, ErrorCode.CALL_NOT_FOUND);
        }
    }

    /** As {@link TransceiverPool#close(CallId, SpanContext)}, wherever the call is. */
    public void close(CallId id, SpanContext span) {
        if (isOurs(id)) {
            own.close(id, span);
            return;
        }
        CloseSessionRequest request =
                CloseSessionRequest.newBuilder().setSessionId(sessionId(id)).build();
        var _ =
                onOwner(
                        id,
                        stub -> stub.withOption(ClientSpans.PARENT, span).closeSession(request));
    }

    /** As {@link TransceiverPool#update}, wherever the call is. */
    public UpdateSessionResponse update(
            CallId id, SpanContext span, UpdateSessionRequest.Builder change) {
        if (isOurs(id)) {
            return own.update(id, span, change);
        }
        UpdateSessionRequest request = change.setSessionId(sessionId(id)).build();
        return onOwner(
                id, stub -> stub.withOption(ClientSpans.PARENT, span).updateSession(request));
    }

    /** As {@link TransceiverPool#describe}, wherever the call is. */
    public DescribeSessionResponse describe(CallId id) {
        if (isOurs(id)) {
            return own.describe(id);
        }
        DescribeSessionRequest request =
                DescribeSessionRequest.newBuilder().setSessionId(sessionId(id)).build();
        return onOwner(id, stub -> stub.describeSession(request));
    }

    /** As {@link TransceiverPool#join}, wherever the call is. */
    public JoinedCall join(CallId id) {
        if (isOurs(id)) {
            return own.join(id);
        }
        RemoteCluster remote = remote(id.cluster());
        try {
            return JoinedCall.join(remote.streaming(id), id, controlTimeout, () -> {});
        } catch (StatusRuntimeException e) {
            throw own.refusal(remote.client(), e, ErrorCode.CALL_ID_NOT_FOUND);
        }
    }

    private static ByteString sessionId(CallId id) {
        return ByteString.copyFrom(id.sessionIdBytes());
    }

    /** The other clusters that can be asked, and whether they take calls, for people. */
    public List<Map<String, Object>> rows() {
        return remotes.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(
                        entry ->
                                Map.<String, Object>of(
                                        "cluster", entry.getKey(),
                                        "gateway", entry.getValue().gateway().toString(),
                                        "takes calls", entry.getValue().takesCalls(),
                                        "load", entry.getValue().load()))
                .toList();
    }

    @Override
    public synchronized void close() {
        remotes.values().forEach(RemoteCluster::close);
        remotes = Map.of();
        own.close();
    }
}
