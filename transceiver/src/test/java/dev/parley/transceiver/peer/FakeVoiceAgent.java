package dev.parley.transceiver.peer;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.AudioFormat;
import dev.parley.proto.inference.v1.ClearAudio;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.Mark;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A voice agent whose calls are played by the test. */
public final class FakeVoiceAgent implements AutoCloseable {
    /** One call, as the agent sees it. */
    public static final class Call {
        private final ServerCallStreamObserver<ConverseResponse> out;
        private final BlockingQueue<ConverseRequest> received = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

        private final FakeVoiceAgent agent;
        private volatile SessionStart start = SessionStart.getDefaultInstance();

        Call(FakeVoiceAgent agent, ServerCallStreamObserver<ConverseResponse> out) {
            this.agent = agent;
            this.out = out;
        }

        /** Who got it. */
        public FakeVoiceAgent agent() {
            return agent;
        }

        public SessionStart start() {
            return start;
        }

        /** The next message of a kind; others before it are dropped. */
        public ConverseRequest await(Predicate<ConverseRequest> wanted) {
            try {
                while (true) {
                    ConverseRequest next = received.poll(10, TimeUnit.SECONDS);
                    if (next == null) {
                        throw new AssertionError("no such message came");
                    }
                    if (wanted.test(next)) {
                        return next;
                    }
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        /** What came so far and was not asked for. */
        public BlockingQueue<ConverseRequest> received() {
            return received;
        }

        /** "completed" or "cancelled", once the edge has ended the stream. */
        public String awaitEnd() {
            try {
                String end = ends.poll(10, TimeUnit.SECONDS);
                if (end == null) {
                    throw new AssertionError(new TimeoutException("the stream was not ended"));
                }
                return end;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        public void send(ConverseResponse message) {
            synchronized (out) {
                out.onNext(message);
            }
        }

        public void say(String responseId, byte... audio) {
            say(responseId, "", audio);
        }

        public void say(String responseId, String itemId, byte... audio) {
            send(
                    ConverseResponse.newBuilder()
                            .setOutputAudio(
                                    OutputAudio.newBuilder()
                                            .setResponseId(responseId)
                                            .setItemId(itemId)
                                            .setAudio(ByteString.copyFrom(audio)))
                            .build());
        }

        public void clear(String responseId) {
            send(
                    ConverseResponse.newBuilder()
                            .setClearAudio(ClearAudio.newBuilder().setResponseId(responseId))
                            .build());
        }

        public void mark(String name) {
            send(ConverseResponse.newBuilder().setMark(Mark.newBuilder().setName(name)).build());
        }

        public void hangUp(String message) {
            send(
                    ConverseResponse.newBuilder()
                            .setSessionEnd(SessionEnd.newBuilder().setMessage(message))
                            .build());
            out.onCompleted();
        }

        public void fail(Status status) {
            out.onError(status.asRuntimeException());
        }

        /** Reads on, for an agent that was {@link #reluctant}. */
        public void readAll() {
            out.request(Integer.MAX_VALUE);
        }

        public boolean isReady() {
            return out.isReady();
        }
    }

    /** Accepts with these formats. */
    public static Function<SessionStart, Object> accepting(
            AudioEncoding input, AudioEncoding output) {
        return _ ->
                SessionReady.newBuilder()
                        .setInputFormat(AudioFormat.newBuilder().setEncoding(input))
                        .setOutputFormat(AudioFormat.newBuilder().setEncoding(output))
                        .build();
    }

    /** Accepts with Opus both ways. */
    public static Function<SessionStart, Object> opus() {
        return accepting(AudioEncoding.AUDIO_ENCODING_OPUS, AudioEncoding.AUDIO_ENCODING_OPUS);
    }

    private final Server server;
    private final BlockingQueue<Call> calls;
    private final Function<SessionStart, Object> answer;
    private final boolean echo;
    private final boolean reluctant;
    private volatile SessionStart lastStart = SessionStart.getDefaultInstance();

    /**
     * @param answer the SessionReady to accept with, the Status to refuse with, or anything else to
     *     say nothing
     * @param echo whether input audio is said back
     */
    public FakeVoiceAgent(Function<SessionStart, Object> answer, boolean echo) {
        this(answer, echo, false, new LinkedBlockingQueue<>());
    }

    /** Accepts with Opus and then reads nothing until {@link Call#readAll}. */
    public static FakeVoiceAgent reluctant() {
        return new FakeVoiceAgent(opus(), false, true, new LinkedBlockingQueue<>());
    }

    /** Another agent of the same kind; {@link #awaitCall} of either brings the calls of both. */
    public FakeVoiceAgent replica() {
        return new FakeVoiceAgent(answer, echo, reluctant, calls);
    }

    private FakeVoiceAgent(
            Function<SessionStart, Object> answer,
            boolean echo,
            boolean reluctant,
            BlockingQueue<Call> calls) {
        this.calls = calls;
        this.answer = answer;
        this.echo = echo;
        this.reluctant = reluctant;
        this.server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(new Service())
                        .build();
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code host:port} */
    public String target() {
        return "127.0.0.1:" + server.getPort();
    }

    public SessionStart lastStart() {
        return lastStart;
    }

    /** The next call that was accepted. */
    public Call awaitCall() {
        try {
            Call call = calls.poll(10, TimeUnit.SECONDS);
            if (call == null) {
                throw new AssertionError("no call came");
            }
            return call;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The next call that was accepted, if one comes within moments; or null. */
    public @Nullable Call pollCall() {
        try {
            return calls.poll(10, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Takes no more calls and says so; those that it has go on. */
    public void drain() {
        server.shutdown();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private final class Service extends VoiceAgentGrpc.VoiceAgentImplBase {
        @Override
        public StreamObserver<ConverseRequest> converse(StreamObserver<ConverseResponse> out) {
            Call call =
                    new Call(FakeVoiceAgent.this, (ServerCallStreamObserver<ConverseResponse>) out);
            if (reluctant) {
                call.out.disableAutoRequest();
                call.out.request(1);
            }
            return new StreamObserver<>() {
                @Override
                public void onNext(ConverseRequest message) {
                    if (message.hasSessionStart()) {
                        start(call, message.getSessionStart());
                    } else {
                        call.received.add(message);
                        if (echo && message.hasInputAudio()) {
                            call.say("", message.getInputAudio().getAudio().toByteArray());
                        }
                    }
                }

                @Override
                public void onError(Throwable t) {
                    call.ends.add("cancelled");
                }

                @Override
                public void onCompleted() {
                    call.ends.add("completed");
                    if (!call.out.isCancelled()) {
                        try {
                            call.out.onCompleted();
                        } catch (IllegalStateException e) {
                            // The test has ended the stream before.
                        }
                    }
                }
            };
        }

        private void start(Call call, SessionStart start) {
            lastStart = start;
            call.start = start;
            switch (answer.apply(start)) {
                case SessionReady ready -> {
                    call.send(ConverseResponse.newBuilder().setSessionReady(ready).build());
                    calls.add(call);
                }
                case Status status -> call.fail(status);
                default -> calls.add(call);
            }
        }
    }
}
