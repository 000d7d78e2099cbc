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
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.runtime.config.HostPort;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.helidon.webserver.CloseConnectionException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The transceivers that new calls are spread over, and the way to those of existing calls. Owned by
 * {@link Signaling}; any thread may call. New calls go round robin over those that are reachable
 * and take calls.
 */
final class TransceiverPool implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(TransceiverPool.class.getName());

    /** Transceivers that may fail a caller before the caller is told. */
    private static final int MAX_FAILURES = 2;

    private final List<ControlClient> clients;
    private final List<Thread> watchers = new CopyOnWriteArrayList<>();
    private final Duration createTimeout;
    private final Duration controlTimeout;
    private final AtomicInteger turn = new AtomicInteger();
    private final LongAdder retries = new LongAdder();

    TransceiverPool(List<HostPort> transceivers, Duration createTimeout, Duration controlTimeout) {
        this.clients = transceivers.stream().map(ControlClient::new).toList();
        this.createTimeout = createTimeout;
        this.controlTimeout = controlTimeout;
    }

    /**
     * Connects to all, so that the first caller does not wait for it, and asks each for its load
     * again and again, so that callers are not sent to one that drains or is full.
     */
    void watch(Duration interval) {
        for (ControlClient client : clients) {
            watchers.add(
                    Thread.ofVirtual()
                            .name("control-watch-" + client.target())
                            .start(() -> watch(client, interval)));
        }
    }

    private void watch(ControlClient client, Duration interval) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                var _ = problem(client);
                Thread.sleep(interval);
            }
        } catch (InterruptedException _) {
            // Closed.
        }
    }

    /** A session that was just created. */
    record Created(CallId id, String answerSdp) {}

    /**
     * Creates a session on one transceiver or, when that one fails, on another. One that only says
     * that it drains has cost no time, so others are asked as long as there are any.
     *
     * @throws RefusedException when none did, or the request is at fault
     */
    Created create(CreateSessionRequest request) {
        List<ControlClient> left = inTurn();
        int failures = 0;
        while (true) {
            ControlClient client = left.removeFirst();
            try {
                return create(client, request);
            } catch (StatusRuntimeException e) {
                boolean draining = ControlErrors.isDraining(e);
                if (draining) {
                    client.accepting(false);
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
     * Changes a call's transport.
     *
     * @throws RefusedException when it is over, has gone on since, the change is at fault, or the
     *     call's transceiver cannot be reached
     */
    UpdateSessionResponse update(CallId id, UpdateSessionRequest.Builder change) {
        UpdateSessionRequest request =
                change.setSessionId(ByteString.copyFrom(id.sessionIdBytes())).build();
        return onOwner(id, stub -> stub.updateSession(request));
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
            boolean full = load.getSessions() >= load.getMaxSessions();
            client.accepting(!load.getDraining() && !full);
            if (load.getDraining()) {
                return "is draining";
            }
            return full ? "is full" : "";
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

    // Those that can be reached and take calls first. The others after them: what is known of them
    // may be old, and if none takes the call, whoever's turn it is tells the reason.
    private List<ControlClient> inTurn() {
        int start = turn.getAndIncrement();
        return IntStream.range(0, clients.size())
                .mapToObj(i -> clients.get(Math.floorMod(start + i, clients.size())))
                .sorted(Comparator.comparingInt(TransceiverPool::rank))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static int rank(ControlClient client) {
        int unreachable = client.isUnreachable() ? 2 : 0;
        return unreachable + (client.isAccepting() ? 0 : 1);
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
        watchers.forEach(Thread::interrupt);
        clients.forEach(ControlClient::close);
    }
}
