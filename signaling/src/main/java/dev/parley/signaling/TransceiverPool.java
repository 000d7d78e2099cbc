package dev.parley.signaling;

import com.google.protobuf.ByteString;
import dev.parley.proto.control.v1.CloseSessionRequest;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.DescribeLoadRequest;
import dev.parley.proto.control.v1.DescribeLoadResponse;
import dev.parley.proto.control.v1.DescribeSessionRequest;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.TransceiverGrpc.TransceiverBlockingStub;
import dev.parley.runtime.config.HostPort;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.helidon.webserver.CloseConnectionException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The transceivers that new calls are spread over, and the way to those of existing calls. Owned by
 * {@link Signaling}; any thread may call. New calls go round robin over the reachable ones.
 */
final class TransceiverPool implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(TransceiverPool.class.getName());

    private final List<ControlClient> clients;
    private final Duration createTimeout;
    private final Duration controlTimeout;
    private final AtomicInteger turn = new AtomicInteger();
    private final LongAdder retries = new LongAdder();

    TransceiverPool(List<HostPort> transceivers, Duration createTimeout, Duration controlTimeout) {
        this.clients = transceivers.stream().map(ControlClient::new).toList();
        this.createTimeout = createTimeout;
        this.controlTimeout = controlTimeout;
    }

    /** Connects to all and asks each once, so that the first caller waits for neither. */
    void warmUp() {
        for (ControlClient client : clients) {
            var _ = Thread.ofVirtual().name("control-warm-up").start(() -> problem(client));
        }
    }

    /** A session that was just created. */
    record Created(CallId id, String answerSdp) {}

    /**
     * Creates a session on one transceiver or, when that one fails, once on another.
     *
     * @throws RefusedException when neither did, or the request is at fault
     */
    Created create(CreateSessionRequest request) {
        ControlClient first = next(null);
        try {
            return create(first, request);
        } catch (StatusRuntimeException e) {
            if (clients.size() == 1 || !ControlErrors.isWorthRetrying(e)) {
                throw refusal(first, e, ErrorCode.MODEL_NOT_FOUND);
            }
            retries.increment();
        }
        ControlClient second = next(first);
        try {
            return create(second, request);
        } catch (StatusRuntimeException e) {
            throw refusal(second, e, ErrorCode.MODEL_NOT_FOUND);
        }
    }

    private Created create(ControlClient client, CreateSessionRequest request) {
        AtomicReference<@Nullable InetSocketAddress> control = new AtomicReference<>();
        CreateSessionResponse response =
                client.within(createTimeout, control).createSession(request);
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
     * @throws RefusedException when it is over, or its transceiver cannot be reached
     */
    void close(CallId id) {
        CloseSessionRequest request =
                CloseSessionRequest.newBuilder()
                        .setSessionId(ByteString.copyFrom(id.sessionIdBytes()))
                        .build();
        var _ = onOwner(id, stub -> stub.closeSession(request));
    }

    /**
     * State of a call.
     *
     * @throws RefusedException when it is over, or its transceiver cannot be reached
     */
    DescribeSessionResponse describe(CallId id) {
        DescribeSessionRequest request =
                DescribeSessionRequest.newBuilder()
                        .setSessionId(ByteString.copyFrom(id.sessionIdBytes()))
                        .build();
        return onOwner(id, stub -> stub.describeSession(request));
    }

    private <T> T onOwner(CallId id, Function<TransceiverBlockingStub, T> call) {
        HostPort owner = HostPort.of(id.control());
        for (ControlClient client : clients) {
            if (client.target().equals(owner)) {
                return onOwner(client, call);
            }
        }
        // Configured by name, or no longer configured: its calls still live. Rare, so the channel
        // lasts for this one call and nothing grows with addresses that come and go.
        try (ControlClient client = new ControlClient(owner)) {
            return onOwner(client, call);
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
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (ControlClient client : clients) {
            String problem = problem(client);
            if (problem.isEmpty()) {
                return List.of();
            }
            int number = problems.size() + 1;
            problems.add("transceiver " + number + " of " + clients.size() + " " + problem);
        }
        return problems;
    }

    // The number stands for the address: readiness is public, addresses are not.
    private String problem(ControlClient client) {
        try {
            client.connect();
            DescribeLoadResponse load =
                    client.within(controlTimeout)
                            .describeLoad(DescribeLoadRequest.getDefaultInstance());
            if (load.getDraining()) {
                return "is draining";
            }
            return load.getSessions() >= load.getMaxSessions() ? "is full" : "";
        } catch (StatusRuntimeException e) {
            return switch (e.getStatus().getCode()) {
                case UNAVAILABLE -> "cannot be reached";
                case DEADLINE_EXCEEDED -> "does not answer";
                default -> "fails";
            };
        }
    }

    /** Creations that were tried on a second transceiver. */
    long retries() {
        return retries.sum();
    }

    // Prefers those that can be reached; if none can, whoever's turn it is tells the reason.
    private ControlClient next(@Nullable ControlClient except) {
        int start = turn.getAndIncrement();
        List<ControlClient> others =
                IntStream.range(0, clients.size())
                        .mapToObj(i -> clients.get(Math.floorMod(start + i, clients.size())))
                        .filter(client -> client != except)
                        .toList();
        return others.stream()
                .filter(client -> !client.isUnreachable())
                .findFirst()
                .orElse(others.getFirst());
    }

    private static RuntimeException refusal(
            ControlClient client, StatusRuntimeException e, ErrorCode notFound) {
        if (ControlErrors.isInterruption(e)) {
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
        clients.forEach(ControlClient::close);
    }
}
