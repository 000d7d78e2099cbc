package dev.parley.signaling.pool;

import com.google.protobuf.ByteString;
import dev.parley.otel.grpc.ClientSpans;
import dev.parley.otel.trace.CallTrace;
import dev.parley.proto.control.v1.CloseSessionRequest;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.DescribeSessionRequest;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.TransceiverGrpc.TransceiverBlockingStub;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.runtime.config.HostPort;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.trace.RequestTrace;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.helidon.webserver.CloseConnectionException;
import io.opentelemetry.api.trace.SpanContext;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Hands new calls to transceivers, and what concerns a call to its own. Owned by Signaling; any
 * thread may call.
 */
public final class TransceiverPool implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(TransceiverPool.class.getName());

    /** Transceivers that may fail a caller before the caller is told. */
    private static final int MAX_FAILURES = 2;

    private final Fleet fleet;
    private final ClientSpans spans;
    private final KnownTransceivers known;
    private final Duration createTimeout;
    private final Duration controlTimeout;
    private final LongAdder retries = new LongAdder();
    private volatile boolean closed;

    /**
     * Knows no transceiver yet.
     *
     * @param interval between two looks for transceivers and at their load
     * @param createTimeout for one transceiver to answer an offer
     * @param controlTimeout for everything else
     * @param spans makes spans of requests to transceivers
     * @param known what may be asked for by other clusters
     */
    public TransceiverPool(
            Discovery discovery,
            Duration interval,
            Duration createTimeout,
            Duration controlTimeout,
            ClientSpans spans,
            KnownTransceivers known) {
        this.fleet = new Fleet(discovery, interval, controlTimeout, spans, known);
        this.known = known;
        this.spans = spans;
        this.createTimeout = createTimeout;
        this.controlTimeout = controlTimeout;
    }

    /** Looks for transceivers, connects to them and watches them from now on. */
    public void start() {
        fleet.start();
    }

    /**
     * A session that was just created.
     *
     * @param id anyone's so far
     */
    public record Created(CallId id, String answerSdp) {}

    /**
     * Creates a session on one transceiver or, when that one fails, on another. One that only says
     * that it drains has cost no time, so others are asked as long as there are any.
     *
     * @param trace of the client's request, which names the session
     * @throws RefusedException when none did, or the request is at fault
     */
    public Created create(CreateSessionRequest request, RequestTrace trace) {
        List<ControlClient> left = fleet.inTurn();
        if (left.isEmpty()) {
            throw ControlErrors.toRefusal(
                    Status.UNAVAILABLE.asRuntimeException(), ErrorCode.MODEL_NOT_FOUND);
        }
        int failures = 0;
        while (true) {
            ControlClient client = left.removeFirst();
            try {
                return create(client, request, trace.attempt());
            } catch (StatusRuntimeException e) {
                ControlErrors.findRest(e).ifPresent(client::rest);
                if (ControlErrors.isDraining(e)) {
                    client.refusedForNow();
                } else {
                    failures++;
                }
                if (left.isEmpty()
                        || failures == MAX_FAILURES
                        || !ControlErrors.isWorthRetrying(e)) {
                    throw refusal(client, e, ErrorCode.MODEL_NOT_FOUND);
                }
                retries.increment();
            }
        }
    }

    private Created create(ControlClient client, CreateSessionRequest request, CallTrace call) {
        AtomicReference<@Nullable InetSocketAddress> control = new AtomicReference<>();
        client.started();
        CreateSessionResponse response =
                under(call.root(), client.within(createTimeout, control))
                        .createSession(
                                request.toBuilder()
                                        .setSessionId(ByteString.copyFrom(call.bytes()))
                                        .build());
        InetSocketAddress address = control.get();
        if (address == null || response.getSessionId().size() != CallId.SESSION_ID_BYTES) {
            throw Status.INTERNAL
                    .withDescription("the answer has no session id of 16 bytes")
                    .asRuntimeException();
        }
        return new Created(
                CallId.of(response.getSessionId().toByteArray(), address), response.getAnswerSdp());
    }

    /**
     * Ends a call.
     *
     * @param span of the client's request
     * @throws RefusedException when it is over, or its transceiver cannot be reached
     */
    public void close(CallId id, SpanContext span) {
        CloseSessionRequest request =
                CloseSessionRequest.newBuilder()
                        .setSessionId(ByteString.copyFrom(id.sessionIdBytes()))
                        .build();
        var _ = onOwner(id, stub -> under(span, stub).closeSession(request));
    }

    /**
     * Changes a call's transport.
     *
     * @param span of the client's request
     * @throws RefusedException when it is over, has gone on since, the change is at fault, or the
     *     call's transceiver cannot be reached
     */
    public UpdateSessionResponse update(
            CallId id, SpanContext span, UpdateSessionRequest.Builder change) {
        UpdateSessionRequest request =
                change.setSessionId(ByteString.copyFrom(id.sessionIdBytes())).build();
        return onOwner(id, stub -> under(span, stub).updateSession(request));
    }

    private static TransceiverBlockingStub under(SpanContext span, TransceiverBlockingStub stub) {
        return stub.withOption(ClientSpans.PARENT, span);
    }

    /**
     * State of a call.
     *
     * @throws RefusedException when it is over, or its transceiver cannot be reached
     */
    public DescribeSessionResponse describe(CallId id) {
        DescribeSessionRequest request =
                DescribeSessionRequest.newBuilder()
                        .setSessionId(ByteString.copyFrom(id.sessionIdBytes()))
                        .build();
        return onOwner(id, stub -> stub.describeSession(request));
    }

    /**
     * Has a backend take part in a call's events.
     *
     * @throws RefusedException when the call is over, takes no more sidebands, or its transceiver
     *     cannot be reached
     */
    public JoinedCall join(CallId id) {
        Owner owner = ownerAt(HostPort.of(id.control()));
        try {
            return JoinedCall.join(owner.client().streaming(), id, controlTimeout, owner.release());
        } catch (StatusRuntimeException e) {
            throw refusal(owner.client(), e, ErrorCode.CALL_ID_NOT_FOUND);
        }
    }

    private <T> T onOwner(CallId id, Function<TransceiverBlockingStub, T> call) {
        // Rare are those that are not found any more, so a channel lasts for this one call and
        // nothing grows with addresses that come and go.
        Owner owner = ownerAt(HostPort.of(id.control()));
        try {
            return onOwner(owner.client(), call);
        } finally {
            owner.release().run();
        }
    }

    private <T> T onOwner(ControlClient client, Function<TransceiverBlockingStub, T> call) {
        try {
            return call.apply(client.within(controlTimeout));
        } catch (StatusRuntimeException e) {
            throw refusal(client, e, ErrorCode.CALL_NOT_FOUND);
        }
    }

    /** Why no new call can be served now, one line for each transceiver; empty when one can. */
    public List<String> problems() {
        return fleet.problems();
    }

    /** Why no transceiver has room for a call at this moment; empty when one may. */
    public Optional<ErrorCode> findRest() {
        return fleet.findRest();
    }

    /** Creations that were tried again on another transceiver. */
    public long retries() {
        return retries.sum();
    }

    /** Times that transceivers could not be looked for. */
    public long discoveryFailures() {
        return fleet.failures();
    }

    /**
     * Room in all transceivers together.
     *
     * @param takesCalls whether any of them does
     */
    public record Room(int sessions, int maxSessions, boolean takesCalls) {}

    /** How much room there is, as it was when they were last heard of. */
    public Room room() {
        return fleet.room();
    }

    /** One that a new call should be offered to. */
    Optional<ControlClient> findRoom() {
        return fleet.inTurn().stream().findFirst();
    }

    /**
     * A call's transceiver.
     *
     * @param release to be run when nothing more is asked of it
     */
    record Owner(ControlClient client, Runnable release) {}

    /** The transceiver at an address, also one that is no longer found: its calls still live. */
    Owner ownerAt(HostPort control) {
        return fleet.find(control)
                .map(known -> new Owner(known, () -> {}))
                .orElseGet(
                        () -> {
                            ControlClient client = new ControlClient(control, spans);
                            return new Owner(client, client::close);
                        });
    }

    /**
     * The same for an address that somebody else names; empty when no transceiver was ever there.
     */
    Optional<Owner> findOwner(InetSocketAddress control) {
        HostPort target = HostPort.of(control);
        return fleet.find(target).isPresent() || known.has(control)
                ? Optional.of(ownerAt(target))
                : Optional.empty();
    }

    RuntimeException refusal(ControlClient client, StatusRuntimeException e, ErrorCode notFound) {
        if (closed || ControlErrors.isInterruption(e)) {
            // Only a stopping server interrupts its requests, and it closes their connections.
            return new CloseConnectionException("stopping");
        }
        if (ControlErrors.isUnexpected(e)) {
            LOGGER.log(
                    Level.WARNING,
                    "transceiver {0} failed: {1}; check that both run the same version",
                    client.target(),
                    e.getStatus());
        } else if (LOGGER.isLoggable(Level.DEBUG)) {
            LOGGER.log(
                    Level.DEBUG,
                    "transceiver {0} refused: {1}",
                    client.target(),
                    e.getStatus().getCode());
        }
        return ControlErrors.toRefusal(e, notFound);
    }

    @Override
    public void close() {
        closed = true;
        fleet.close();
    }
}
