package dev.parley.signaling.pool;

import com.google.protobuf.ByteString;
import dev.parley.proto.control.v1.JoinEventsRequest;
import dev.parley.proto.control.v1.JoinEventsResponse;
import dev.parley.proto.control.v1.TransceiverGrpc.TransceiverStub;
import dev.parley.proto.inference.v1.ClientEvent;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A sideband's stream to the transceiver of its call. One thread hears, one says; either blocks and
 * so holds back the other end. Owned by the sideband, which closes it.
 */
public final class JoinedCall implements AutoCloseable {
    /** What can be heard. */
    public sealed interface Heard {
        /** Something is said in the call, or how it ended. */
        record Message(JoinEventsResponse message) implements Heard {}

        /** The transceiver has ended the stream, or it has broken; the last there is. */
        record Over(StatusRuntimeException why) implements Heard {}
    }

    /** Messages that may wait here for who hears; what is beyond that waits at the transceiver. */
    private static final int WINDOW = 16;

    private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>();
    private final Runnable onClose;
    private final Object room = new Object();
    private boolean over;
    private @Nullable ClientCallStreamObserver<JoinEventsRequest> stream;

    private JoinedCall(Runnable onClose) {
        this.onClose = onClose;
    }

    /**
     * Joins a call.
     *
     * @param wait for the transceiver to say that it is done
     * @param onClose run when it is closed, also when this throws
     * @throws StatusRuntimeException when it is not
     */
    static JoinedCall join(TransceiverStub stub, CallId id, Duration wait, Runnable onClose) {
        JoinedCall joined = new JoinedCall(onClose);
        var _ = stub.joinEvents(joined.new Responses());
        joined.stream()
                .onNext(
                        JoinEventsRequest.newBuilder()
                                .setJoin(
                                        JoinEventsRequest.Join.newBuilder()
                                                .setSessionId(
                                                        ByteString.copyFrom(id.sessionIdBytes())))
                                .build());
        StatusRuntimeException failure = joined.awaitJoined(wait);
        if (failure != null) {
            joined.close();
            throw failure;
        }
        return joined;
    }

    private @Nullable StatusRuntimeException awaitJoined(Duration wait) {
        try {
            return switch (hear(wait)) {
                case null -> Status.DEADLINE_EXCEEDED.asRuntimeException();
                case Heard.Over(StatusRuntimeException why) -> why;
                case Heard.Message(JoinEventsResponse first) ->
                        first.hasJoined() ? null : Status.INTERNAL.asRuntimeException();
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Status.CANCELLED.withCause(e).asRuntimeException();
        }
    }

    private ClientCallStreamObserver<JoinEventsRequest> stream() {
        return Objects.requireNonNull(stream, "not started");
    }

    /** What comes next, null when nothing does for so long. */
    public @Nullable Heard hear(Duration wait) throws InterruptedException {
        Heard next = heard.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
        if (next instanceof Heard.Message) {
            stream().request(1);
        }
        return next;
    }

    /** Says something as soon as the transceiver has room for it; false when that cannot be. */
    public boolean say(ClientEvent event) throws InterruptedException {
        synchronized (room) {
            while (!over && !stream().isReady()) {
                room.wait();
            }
            if (over) {
                return false;
            }
        }
        stream().onNext(JoinEventsRequest.newBuilder().setEvent(event).build());
        return true;
    }

    /** Leaves the call, which goes on. */
    @Override
    public void close() {
        over();
        stream().cancel("left", null);
        onClose.run();
    }

    private void over() {
        synchronized (room) {
            over = true;
            room.notifyAll();
        }
    }

    /** What gRPC calls. */
    private final class Responses
            implements ClientResponseObserver<JoinEventsRequest, JoinEventsResponse> {
        @Override
        public void beforeStart(ClientCallStreamObserver<JoinEventsRequest> requests) {
            stream = requests;
            requests.disableAutoRequestWithInitial(WINDOW);
            requests.setOnReadyHandler(
                    () -> {
                        synchronized (room) {
                            room.notifyAll();
                        }
                    });
        }

        @Override
        public void onNext(JoinEventsResponse message) {
            heard.add(new Heard.Message(message));
        }

        @Override
        public void onError(Throwable thrown) {
            over();
            heard.add(
                    new Heard.Over(
                            Status.fromThrowable(thrown)
                                    .asRuntimeException(Status.trailersFromThrowable(thrown))));
        }

        @Override
        public void onCompleted() {
            over();
            heard.add(new Heard.Over(Status.OK.asRuntimeException()));
        }
    }
}
