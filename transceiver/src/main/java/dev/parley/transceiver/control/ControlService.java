package dev.parley.transceiver.control;

import dev.parley.proto.control.v1.CloseSessionRequest;
import dev.parley.proto.control.v1.CloseSessionResponse;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.DescribeLoadRequest;
import dev.parley.proto.control.v1.DescribeLoadResponse;
import dev.parley.proto.control.v1.DescribeSessionRequest;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.control.v1.SetupTimes;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.transceiver.session.EndReason;
import dev.parley.transceiver.session.Session;
import dev.parley.transceiver.session.SessionId;
import dev.parley.transceiver.session.SessionSnapshot;
import dev.parley.transceiver.session.SetupPhases;
import dev.parley.transceiver.session.SetupPhases.Phase;
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
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final CallSetup setup;
    private final Calls calls;
    private volatile boolean draining;

    public ControlService(CallSetup setup, Calls calls) {
        this.setup = setup;
        this.calls = calls;
    }

    /** From now on no new call is accepted. */
    public void drain() {
        draining = true;
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
                    if (draining) {
                        throw new RefusedException(
                                Status.Code.UNAVAILABLE,
                                "draining",
                                null,
                                "this transceiver takes no new calls");
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
            call.loop().end(call.session(), EndReason.SETUP_TIMEOUT, "signaling gave up waiting");
        }
    }

    @Override
    public void closeSession(
            CloseSessionRequest request, StreamObserver<CloseSessionResponse> response) {
        answer(
                response,
                () -> {
                    Calls.Call call = call(request.getSessionId().toByteArray());
                    call.loop().end(call.session(), EndReason.CLIENT_HANGUP, "hung up");
                    // Gone for whoever asks again, whenever the loop comes to it.
                    calls.remove(call.session());
                    return CloseSessionResponse.getDefaultInstance();
                });
    }

    @Override
    public void describeSession(
            DescribeSessionRequest request, StreamObserver<DescribeSessionResponse> response) {
        answer(
                response,
                () -> {
                    Calls.Call call = call(request.getSessionId().toByteArray());
                    return describe(call.session(), snapshot(call));
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
                                .setDraining(draining)
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

    private Calls.Call call(byte[] id) throws RefusedException {
        Calls.Call call = id.length == 16 ? calls.find(SessionId.of(id)) : null;
        if (call == null) {
            throw new RefusedException(
                    Status.Code.NOT_FOUND, "session_not_found", "session_id", "no such session");
        }
        return call;
    }

    private static SessionSnapshot snapshot(Calls.Call call) throws RefusedException {
        try {
            return call.loop().describe(call.session()).get(DESCRIBE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw overloaded();
        } catch (ExecutionException | TimeoutException e) {
            throw overloaded();
        }
    }

    private static RefusedException overloaded() {
        return new RefusedException(
                Status.Code.UNAVAILABLE, "overloaded", null, "the transceiver is overloaded");
    }

    private static DescribeSessionResponse describe(Session session, SessionSnapshot now) {
        DescribeSessionResponse.Builder response = DescribeSessionResponse.newBuilder();
        if (now.roundTripNanos() >= 0) {
            response.setRoundTripMs((double) now.roundTripNanos() / NANOS_PER_MILLI);
        }
        return response.setState(
                        switch (now.state()) {
                            case NEW -> SessionState.SESSION_STATE_NEW;
                            case CONNECTING -> SessionState.SESSION_STATE_CONNECTING;
                            case CONNECTED, ENDED -> SessionState.SESSION_STATE_CONNECTED;
                        })
                .setAgeMs(now.ageNanos() / NANOS_PER_MILLI)
                .setPacketsReceived(now.received())
                .setPacketsSent(now.sent())
                .setPacketsLost(now.lost())
                .setJitterMs((double) now.jitterNanos() / NANOS_PER_MILLI)
                .setSetup(setup(session.phases()))
                .build();
    }

    private static SetupTimes setup(SetupPhases phases) {
        SetupTimes.Builder times = SetupTimes.newBuilder();
        for (Phase phase : Phase.values()) {
            if (phases.has(phase)) {
                double millis = phases.millis(phase);
                var _ =
                        switch (phase) {
                            case ANSWERED -> times.setAnswerMs(millis);
                            case FIRST_CHECK -> times.setFirstCheckMs(millis);
                            case DTLS_CONNECTED -> times.setDtlsConnectedMs(millis);
                            case FIRST_RTP -> times.setFirstRtpMs(millis);
                            case FIRST_INPUT -> times.setFirstInputAudioMs(millis);
                        };
            }
        }
        return times.build();
    }
}
