package dev.parley.transceiver.control;

import dev.parley.proto.control.v1.JoinEventsRequest;
import dev.parley.proto.control.v1.JoinEventsResponse;
import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.transceiver.inference.EventClient;
import dev.parley.transceiver.inference.InferenceCall;
import dev.parley.transceiver.session.EndedCall;
import dev.parley.transceiver.session.SessionId;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One backend's part in a call's events: between its JoinEvents stream and the call. Owned by the
 * stream; what comes of the call may be told on any thread.
 *
 * <p>The call never waits for it. What it does not read waits in a bounded queue; when that is full
 * it is parted with. What it says waits for inference, and the stream with it.
 */
final class Sideband implements EventClient, StreamObserver<JoinEventsRequest> {
    private static final int MAX_WAITING = 1_024;
    private static final long MAX_WAITING_BYTES = 1 << 20;

    /** How soon to offer again what inference had no room for. */
    private static final long RETRY_NANOS = 10_000_000L;

    private final Calls calls;
    private final ServerCallStreamObserver<JoinEventsResponse> stream;
    private volatile Calls.@Nullable Call call;
    private volatile boolean left;

    // Guarded by waiting: all of these.
    private final Queue<JoinEventsResponse> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean sending;
    private boolean closing;
    private boolean callIsOver;
    private @Nullable EndedCall how;
    private @Nullable RefusedException failure;

    private Sideband(Calls calls, ServerCallStreamObserver<JoinEventsResponse> stream) {
        this.calls = calls;
        this.stream = stream;
    }

    /** Serves a stream that was just opened; answers what takes its messages. */
    static StreamObserver<JoinEventsRequest> serve(
            Calls calls, ServerCallStreamObserver<JoinEventsResponse> stream) {
        Sideband sideband = new Sideband(calls, stream);
        stream.disableAutoRequest();
        stream.setOnReadyHandler(sideband::drain);
        stream.setOnCancelHandler(sideband::leave);
        stream.request(1);
        return sideband;
    }

    // --- what the backend sends

    @Override
    public void onNext(JoinEventsRequest request) {
        Calls.Call joined = call;
        try {
            if (joined == null) {
                join(request);
            } else if (request.hasEvent()) {
                say(joined, request.getEvent());
            } else {
                stream.request(1);
            }
        } catch (RefusedException e) {
            close(e);
        }
    }

    private void join(JoinEventsRequest request) throws RefusedException {
        if (!request.hasJoin()) {
            throw new RefusedException(
                    Status.Code.INVALID_ARGUMENT,
                    "not_joined",
                    null,
                    "the first message must join");
        }
        byte[] bytes = request.getJoin().getSessionId().toByteArray();
        Calls.Call found = bytes.length == SessionId.BYTES ? calls.find(SessionId.of(bytes)) : null;
        if (found == null) {
            throw RefusedException.noSuchSession();
        }
        SessionId id = found.session().id();
        if (!calls.sidebands().add(id, this)) {
            throw new RefusedException(
                    Status.Code.RESOURCE_EXHAUSTED,
                    "sideband_limit",
                    null,
                    "the call has " + Sidebands.MAX_PER_CALL + " sidebands, the most there can be");
        }
        call = found;
        attach(found.session().inference());
        // It may have ended before there was anyone to tell.
        Calls.Ended ended = calls.findEnded(id);
        if (ended != null) {
            over(ended.how());
        }
        if (stream.isCancelled()) {
            leave();
        }
        stream.request(1);
    }

    /** The first message is `joined`, and whoever has it misses nothing that is said after it. */
    private void attach(InferenceCall inference) {
        synchronized (waiting) {
            sending = true;
            waiting.add(
                    JoinEventsResponse.newBuilder()
                            .setJoined(JoinEventsResponse.Joined.getDefaultInstance())
                            .build());
        }
        inference.attach(this);
        synchronized (waiting) {
            sending = false;
        }
        drain();
    }

    private void say(Calls.Call joined, ClientEvent event) {
        InferenceCall inference = joined.session().inference();
        if (inference.offerEvent(this, event)) {
            stream.request(1);
        } else {
            // Rare, and not on the stream's own thread, which has to hear of its end meanwhile.
            var _ =
                    Thread.ofVirtual()
                            .name("sideband-" + joined.session().id())
                            .start(() -> sayAgain(inference, event));
        }
    }

    private void sayAgain(InferenceCall inference, ClientEvent event) {
        while (!left) {
            LockSupport.parkNanos(this, RETRY_NANOS);
            if (inference.offerEvent(this, event)) {
                stream.request(1);
                return;
            }
        }
    }

    @Override
    public void onError(Throwable thrown) {
        leave();
    }

    @Override
    public void onCompleted() {
        close(null);
    }

    // --- what comes of the call

    @Override
    public void event(ServerEvent event) {
        send(JoinEventsResponse.newBuilder().setServerEvent(event).build());
    }

    @Override
    public void said(ClientEvent event) {
        send(JoinEventsResponse.newBuilder().setClientEvent(event).build());
    }

    @Override
    public void ended() {
        synchronized (waiting) {
            callIsOver = true;
        }
        sayGoodbye();
    }

    /** The call is over, and so. */
    void over(EndedCall ended) {
        synchronized (waiting) {
            how = ended;
        }
        sayGoodbye();
    }

    /** Once the last event has been told and it is known why it is the last. */
    private void sayGoodbye() {
        EndedCall ended;
        synchronized (waiting) {
            ended = how;
            if (ended == null || !callIsOver) {
                return;
            }
        }
        send(
                JoinEventsResponse.newBuilder()
                        .setEnded(
                                JoinEventsResponse.Ended.newBuilder()
                                        .setReason(ended.reason().wire())
                                        .setMessage(ended.message()))
                        .build());
        close(null);
    }

    private void send(JoinEventsResponse message) {
        boolean full;
        synchronized (waiting) {
            if (closing) {
                return;
            }
            waitingBytes += message.getSerializedSize();
            waiting.add(message);
            full = waiting.size() > MAX_WAITING || waitingBytes > MAX_WAITING_BYTES;
            if (full) {
                waiting.clear();
            }
        }
        if (full) {
            calls.sidebands().tooSlow();
            close(
                    new RefusedException(
                            Status.Code.RESOURCE_EXHAUSTED,
                            "sideband_too_slow",
                            null,
                            "too many events were left unread"));
        }
        drain();
    }

    // --- the end of the stream

    /** Ends the stream behind what waits, the call being over or the reason given. */
    private void close(@Nullable RefusedException why) {
        synchronized (waiting) {
            closing = true;
            failure = why;
        }
        leave();
        drain();
    }

    private void leave() {
        left = true;
        Calls.Call joined = call;
        if (joined != null) {
            joined.session().inference().detach(this);
            calls.sidebands().remove(joined.session().id(), this);
        }
    }

    /** Sends what waits, one thread at a time, as fast as the stream takes it. */
    private void drain() {
        synchronized (waiting) {
            if (sending) {
                return;
            }
            sending = true;
        }
        JoinEventsResponse next = next();
        while (next != null) {
            stream.onNext(next);
            next = next();
        }
    }

    /** The next to send; null gives up the right to, for ever when all has been sent. */
    private @Nullable JoinEventsResponse next() {
        RefusedException why;
        synchronized (waiting) {
            JoinEventsResponse next = stream.isReady() ? waiting.poll() : null;
            if (next != null) {
                waitingBytes -= next.hasJoined() ? 0 : next.getSerializedSize();
                return next;
            }
            boolean done = closing && waiting.isEmpty();
            sending = done;
            if (!done) {
                return null;
            }
            why = failure;
        }
        if (why == null) {
            stream.onCompleted();
        } else {
            stream.onError(why.toStatus());
        }
        return null;
    }
}
