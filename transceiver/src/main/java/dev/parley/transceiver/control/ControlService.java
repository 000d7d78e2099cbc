package dev.parley.transceiver.control;

import dev.parley.proto.control.ErrorTrailers;
import dev.parley.proto.control.v1.CloseSessionRequest;
import dev.parley.proto.control.v1.CloseSessionResponse;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.DescribeLoadRequest;
import dev.parley.proto.control.v1.DescribeLoadResponse;
import dev.parley.proto.control.v1.DescribeSessionRequest;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.JoinEventsRequest;
import dev.parley.proto.control.v1.JoinEventsResponse;
import dev.parley.proto.control.v1.SetDrainingRequest;
import dev.parley.proto.control.v1.SetDrainingResponse;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.runtime.load.Congestion;
import dev.parley.transceiver.session.EndReason;
import dev.parley.transceiver.session.Session;
import dev.parley.transceiver.session.SessionId;
import dev.parley.transceiver.session.SessionSnapshot;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The control API, parley.control.v1. Each request has a thread of its own and may block. */
public final class ControlService extends TransceiverGrpc.TransceiverImplBase {
    private static final Logger LOGGER = System.getLogger(ControlService.class.getName());

    private static final long DESCRIBE_SECONDS = 2;

    private final CallSetup setup;
    private final Calls calls;
    private final Draining draining;
    private final Congestion congestion;

    public ControlService(CallSetup setup, Calls calls, Draining draining, Congestion congestion) {
        this.setup = setup;
        this.calls = calls;
        this.draining = draining;
        this.congestion = congestion;
    }

    /** What a request does, answering the response or refusing. */
    @FunctionalInterface
    private interface Work<T> {
        T run() throws RefusedException;
    }

    @Override
    public void createSession(
            CreateSessionRequest request, StreamObserver<CreateSessionResponse> response) {
        AtomicReference<CreateSessionResponse> created = new AtomicReference<>();
        if (response instanceof ServerCallStreamObserver<CreateSessionResponse> call) {
            // Signaling gave up waiting, so the client will never see the answer. gRPC runs this
            // after the work below.
            call.setOnCancelHandler(() -> abandon(created.get()));
        }
        answer(
                response,
                () -> {
                    if (draining.isOn()) {
                        throw RefusedException.unavailable(
                                ErrorTrailers.DRAINING, "this transceiver takes no new calls");
                    }
                    if (congestion.refuses()) {
                        throw RefusedException.overloaded();
                    }
                    CreateSessionResponse answer = setup.create(request);
                    created.set(answer);
                    return answer;
                });
    }

    private void abandon(@Nullable CreateSessionResponse created) {
        Calls.Call call =
                created == null
                        ? null
                        : calls.find(SessionId.of(created.getSessionId().toByteArray()));
        if (call != null) {
            call.loop().end(call.session(), EndReason.ABANDONED, "signaling gave up waiting");
        }
    }

    @Override
    public void closeSession(
            CloseSessionRequest request, StreamObserver<CloseSessionResponse> response) {
        answer(
                response,
                () -> {
                    Calls.Call call = call(request.getSessionId().toByteArray());
                    // Gone for whoever asks again, whenever the loop comes to it.
                    if (!calls.withdraw(call.session())) {
                        throw RefusedException.noSuchSession();
                    }
                    call.loop().end(call.session(), EndReason.CLIENT_HANGUP, "hung up");
                    calls.watchers().told(call.session().id());
                    return CloseSessionResponse.getDefaultInstance();
                });
    }

    @Override
    public void describeSession(
            DescribeSessionRequest request, StreamObserver<DescribeSessionResponse> response) {
        answer(
                response,
                () -> {
                    SessionId id = id(request.getSessionId().toByteArray());
                    Calls.Call call = calls.find(id);
                    if (call != null) {
                        SessionSnapshot now = snapshot(call);
                        // One that has ended meanwhile is told of with its reason, as below.
                        if (now.state() != Session.State.ENDED) {
                            calls.watchers().looked(id, System.nanoTime());
                            return Descriptions.of(call, now);
                        }
                    }
                    Calls.Ended ended = calls.findEnded(id);
                    if (ended != null) {
                        calls.watchers().told(id);
                        return Descriptions.of(ended);
                    }
                    throw RefusedException.noSuchSession();
                });
    }

    @Override
    public void updateSession(
            UpdateSessionRequest request, StreamObserver<UpdateSessionResponse> response) {
        answer(response, () -> setup.update(call(request.getSessionId().toByteArray()), request));
    }

    @Override
    public StreamObserver<JoinEventsRequest> joinEvents(
            StreamObserver<JoinEventsResponse> response) {
        return Sideband.serve(calls, (ServerCallStreamObserver<JoinEventsResponse>) response);
    }

    @Override
    public void setDraining(
            SetDrainingRequest request, StreamObserver<SetDrainingResponse> response) {
        answer(
                response,
                () -> {
                    draining.set(request.getDraining());
                    return SetDrainingResponse.newBuilder().setSessions(calls.count()).build();
                });
    }

    @Override
    public void describeLoad(
            DescribeLoadRequest request, StreamObserver<DescribeLoadResponse> response) {
        answer(
                response,
                () ->
                        DescribeLoadResponse.newBuilder()
                                .setSessions(calls.count())
                                .setMaxSessions(calls.max())
                                .setDraining(draining.isOn())
                                .setSetupPressure(
                                        congestion.isStanding()
                                                ? Math.max(1, setup.pressure())
                                                : setup.pressure())
                                .build());
    }

    private static <T> void answer(StreamObserver<T> response, Work<T> work) {
        try {
            response.onNext(work.run());
            response.onCompleted();
        } catch (RefusedException e) {
            response.onError(e.toStatus());
        } catch (RuntimeException e) {
            LOGGER.log(Level.ERROR, "a control request failed", e);
            response.onError(
                    Status.INTERNAL.withDescription("internal error").asRuntimeException());
        }
    }

    private static SessionId id(byte[] bytes) throws RefusedException {
        if (bytes.length != SessionId.BYTES) {
            throw RefusedException.noSuchSession();
        }
        return SessionId.of(bytes);
    }

    private Calls.Call call(byte[] bytes) throws RefusedException {
        Calls.Call call = calls.find(id(bytes));
        if (call == null) {
            throw RefusedException.noSuchSession();
        }
        return call;
    }

    private static SessionSnapshot snapshot(Calls.Call call) throws RefusedException {
        try {
            return call.loop().describe(call.session()).get(DESCRIBE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RefusedException.overloaded();
        } catch (ExecutionException | TimeoutException e) {
            throw RefusedException.overloaded();
        }
    }
}
