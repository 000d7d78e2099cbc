package dev.parley.signaling;

import com.google.protobuf.ByteString;
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
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.control.v1.SetupTimes;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.runtime.config.HostPort;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A control server that negotiates nothing: it remembers what it was asked and answers as told. */
public final class FakeTransceiver extends TransceiverGrpc.TransceiverImplBase
        implements AutoCloseable {
    static final String ANSWER = "v=0\r\ns=answer\r\n";

    final Queue<CreateSessionRequest> created = new ConcurrentLinkedQueue<>();
    final Set<ByteString> sessions = ConcurrentHashMap.newKeySet();
    final Set<ByteString> ended = ConcurrentHashMap.newKeySet();
    final Map<ByteString, Integer> generations = new ConcurrentHashMap<>();
    final Queue<UpdateSessionRequest> updates = new ConcurrentLinkedQueue<>();

    /** What every change is answered; null for what a transceiver would. */
    volatile @Nullable UpdateSessionResponse update;

    volatile @Nullable StatusRuntimeException refusal;
    volatile boolean silent;

    /** Whether it does not say how calls are. */
    volatile boolean mute;

    /** It has been asked how a call is, and was mute. */
    final CountDownLatch muted = new CountDownLatch(1);

    volatile boolean draining;

    /** Sessions that it has besides those that were created here. */
    public volatile int otherSessions;

    private final LongAdder closings = new LongAdder();
    private final byte instance;
    private final Server server;

    public FakeTransceiver(int instance) {
        this.instance = (byte) instance;
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try {
            this.server =
                    NettyServerBuilder.forAddress(new InetSocketAddress(loopback, 0))
                            .addService(this)
                            .build()
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How often it was asked to end a session. */
    public long closings() {
        return closings.sum();
    }

    public HostPort address() {
        return new HostPort("127.0.0.1", server.getPort());
    }

    void refuse(Status status, String param, String code) {
        Metadata trailers = new Metadata();
        if (!param.isEmpty()) {
            trailers.put(ErrorTrailers.PARAM, param);
        }
        if (!code.isEmpty()) {
            trailers.put(ErrorTrailers.CODE, code);
        }
        refusal = status.asRuntimeException(trailers);
    }

    @Override
    public void createSession(
            CreateSessionRequest request, StreamObserver<CreateSessionResponse> observer) {
        created.add(request);
        StatusRuntimeException error = refusal;
        if (error != null) {
            observer.onError(error);
        } else if (!silent) {
            ByteBuffer id = ByteBuffer.allocate(16).put(0, instance).putInt(12, created.size());
            ByteString sessionId = ByteString.copyFrom(id);
            sessions.add(sessionId);
            observer.onNext(
                    CreateSessionResponse.newBuilder()
                            .setSessionId(sessionId)
                            .setAnswerSdp(ANSWER)
                            .build());
            observer.onCompleted();
        }
    }

    /** One sideband, as a transceiver sees it. */
    static final class Joined implements StreamObserver<JoinEventsRequest> {
        final ServerCallStreamObserver<JoinEventsResponse> out;
        final BlockingQueue<JoinEventsRequest> heard = new LinkedBlockingQueue<>();
        final CompletableFuture<Void> left = new CompletableFuture<>();

        Joined(ServerCallStreamObserver<JoinEventsResponse> out) {
            this.out = out;
            out.setOnCancelHandler(() -> left.complete(null));
        }

        void tell(String text) {
            out.onNext(
                    JoinEventsResponse.newBuilder()
                            .setServerEvent(ServerEvent.newBuilder().setText(text))
                            .build());
        }

        @Override
        public void onNext(JoinEventsRequest request) {
            heard.add(request);
        }

        @Override
        public void onError(Throwable thrown) {
            left.complete(null);
        }

        @Override
        public void onCompleted() {
            left.complete(null);
        }
    }

    final BlockingQueue<Joined> joined = new LinkedBlockingQueue<>();

    /** Lets each sideband in that asked while {@link #holdsJoins}. */
    final BlockingQueue<Runnable> heldJoins = new LinkedBlockingQueue<>();

    volatile boolean holdsJoins;

    private void letIn(Joined sideband) {
        sideband.out.onNext(
                JoinEventsResponse.newBuilder()
                        .setJoined(JoinEventsResponse.Joined.getDefaultInstance())
                        .build());
        joined.add(sideband);
    }

    @Override
    public StreamObserver<JoinEventsRequest> joinEvents(
            StreamObserver<JoinEventsResponse> response) {
        Joined sideband = new Joined((ServerCallStreamObserver<JoinEventsResponse>) response);
        return new StreamObserver<>() {
            private boolean in;

            @Override
            public void onNext(JoinEventsRequest request) {
                StatusRuntimeException error = refusal;
                if (in) {
                    sideband.onNext(request);
                } else if (error != null) {
                    response.onError(error);
                } else if (!sessions.contains(request.getJoin().getSessionId())) {
                    response.onError(Status.NOT_FOUND.asRuntimeException());
                } else {
                    in = true;
                    if (holdsJoins) {
                        heldJoins.add(() -> letIn(sideband));
                    } else {
                        letIn(sideband);
                    }
                }
            }

            @Override
            public void onError(Throwable thrown) {
                sideband.onError(thrown);
            }

            @Override
            public void onCompleted() {
                sideband.onCompleted();
            }
        };
    }

    @Override
    public void updateSession(
            UpdateSessionRequest request, StreamObserver<UpdateSessionResponse> observer) {
        updates.add(request);
        StatusRuntimeException error = refusal;
        if (error != null) {
            observer.onError(error);
        } else if (sessions.contains(request.getSessionId())) {
            change(request, observer);
        } else {
            observer.onError(Status.NOT_FOUND.asRuntimeException());
        }
    }

    // As a transceiver: the generation counts restarts, and other ones than meant are refused.
    private void change(
            UpdateSessionRequest request, StreamObserver<UpdateSessionResponse> observer) {
        UpdateSessionResponse canned = update;
        int generation = generations.getOrDefault(request.getSessionId(), 0);
        if (canned != null) {
            observer.onNext(canned);
        } else if (request.hasIceGeneration() && request.getIceGeneration() != generation) {
            observer.onError(Status.FAILED_PRECONDITION.asRuntimeException());
            return;
        } else if (!request.getIceRestart() && request.hasIceFragment()) {
            observer.onNext(
                    UpdateSessionResponse.newBuilder().setIceGeneration(generation).build());
        } else {
            generations.put(request.getSessionId(), generation + 1);
            UpdateSessionResponse.Builder answer =
                    UpdateSessionResponse.newBuilder().setIceGeneration(generation + 1);
            observer.onNext(
                    request.hasIceFragment()
                            ? answer.setIceFragment("a=ice-ufrag:new\r\n").build()
                            : answer.setAnswerSdp(ANSWER).build());
        }
        observer.onCompleted();
    }

    @Override
    public void closeSession(
            CloseSessionRequest request, StreamObserver<CloseSessionResponse> observer) {
        closings.increment();
        if (sessions.remove(request.getSessionId())) {
            observer.onNext(CloseSessionResponse.getDefaultInstance());
            observer.onCompleted();
        } else {
            observer.onError(Status.NOT_FOUND.asRuntimeException());
        }
    }

    @Override
    public void describeSession(
            DescribeSessionRequest request, StreamObserver<DescribeSessionResponse> observer) {
        if (mute) {
            muted.countDown();
            observer.onError(Status.UNAVAILABLE.asRuntimeException());
        } else if (ended.contains(request.getSessionId())) {
            observer.onNext(
                    DescribeSessionResponse.newBuilder()
                            .setState(SessionState.SESSION_STATE_ENDED)
                            .setEndReason(EndReason.END_REASON_AGENT_HANGUP)
                            .setEndMessage("bye")
                            .build());
            observer.onCompleted();
        } else if (sessions.contains(request.getSessionId())) {
            observer.onNext(
                    DescribeSessionResponse.newBuilder()
                            .setState(SessionState.SESSION_STATE_CONNECTED)
                            .setAgeMs(1_234)
                            .setPacketsReceived(50)
                            .setPacketsSent(60)
                            .setSetup(SetupTimes.newBuilder().setAnswerMs(12.5).setFirstCheckMs(20))
                            .build());
            observer.onCompleted();
        } else {
            observer.onError(Status.NOT_FOUND.asRuntimeException());
        }
    }

    @Override
    public void describeLoad(
            DescribeLoadRequest request, StreamObserver<DescribeLoadResponse> observer) {
        observer.onNext(
                DescribeLoadResponse.newBuilder()
                        .setSessions(sessions.size() + otherSessions)
                        .setMaxSessions(100)
                        .setDraining(draining)
                        .build());
        observer.onCompleted();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
