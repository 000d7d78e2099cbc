package dev.parley.bench.audio;

import com.google.protobuf.UnsafeByteOperations;
import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.AudioFormat;
import dev.parley.proto.inference.v1.ClearAudio;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.PlaybackCleared;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** A voice agent that says what a benchmark wants said; the model's name is its audio format. */
final class Agent implements AutoCloseable {
    /** Hears a call's audio on the thread of its stream. */
    interface Listener {
        /**
         * One message.
         *
         * @param offsetMillis where its audio begins on the call's clock
         */
        void audio(long nanos, long offsetMillis);
    }

    /** One call as the agent sees it. */
    static final class Call {
        private final StreamObserver<ConverseResponse> out;
        private volatile Listener listener = (_, _) -> {};
        private final BlockingQueue<PlaybackCleared> cleared = new LinkedBlockingQueue<>();

        private Call(StreamObserver<ConverseResponse> out) {
            this.out = out;
        }

        synchronized void say(String responseId, byte[] audio) {
            out.onNext(
                    ConverseResponse.newBuilder()
                            .setOutputAudio(
                                    OutputAudio.newBuilder()
                                            .setResponseId(responseId)
                                            .setAudio(UnsafeByteOperations.unsafeWrap(audio)))
                            .build());
        }

        synchronized void clear(String responseId) {
            out.onNext(
                    ConverseResponse.newBuilder()
                            .setClearAudio(ClearAudio.newBuilder().setResponseId(responseId))
                            .build());
        }

        void listen(Listener to) {
            listener = to;
        }

        BlockingQueue<PlaybackCleared> cleared() {
            return cleared;
        }
    }

    /** LINEAR16 at 24 kHz. */
    static final String LINEAR16 = "linear16";

    static final String OPUS = "opus";

    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final Server server;

    private Agent() throws IOException {
        server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .directExecutor()
                        .addService(new Service())
                        .build()
                        .start();
    }

    static Agent start() throws IOException {
        return new Agent();
    }

    String target() {
        return "127.0.0.1:" + server.getPort();
    }

    /** Calls so far, in the order in which they were made. */
    List<Call> calls() {
        return calls;
    }

    /** An Opus packet of 20 ms of this length; what is in it is nobody's concern here. */
    static byte[] opus(int bytes) {
        byte[] packet = new byte[bytes];
        packet[0] = (byte) 0xF8;
        packet[1] = 0x55;
        return packet;
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private final class Service extends VoiceAgentGrpc.VoiceAgentImplBase {
        @Override
        public StreamObserver<ConverseRequest> converse(StreamObserver<ConverseResponse> out) {
            Call call = new Call(out);
            return new StreamObserver<>() {
                @Override
                public void onNext(ConverseRequest message) {
                    switch (message.getMessageCase()) {
                        case SESSION_START -> {
                            out.onNext(accept(message.getSessionStart().getModel()));
                            calls.add(call);
                        }
                        case INPUT_AUDIO ->
                                call.listener.audio(
                                        System.nanoTime(),
                                        message.getInputAudio().getAudioOffsetMs());
                        case PLAYBACK_CLEARED -> call.cleared.add(message.getPlaybackCleared());
                        default -> {}
                    }
                }

                @Override
                public void onError(Throwable t) {}

                @Override
                public void onCompleted() {
                    out.onCompleted();
                }
            };
        }

        private static ConverseResponse accept(String model) {
            AudioFormat opus =
                    AudioFormat.newBuilder().setEncoding(AudioEncoding.AUDIO_ENCODING_OPUS).build();
            AudioFormat linear =
                    AudioFormat.newBuilder()
                            .setEncoding(AudioEncoding.AUDIO_ENCODING_LINEAR16)
                            .setSampleRateHz(24_000)
                            .build();
            AudioFormat format = model.equals(OPUS) ? opus : linear;
            return ConverseResponse.newBuilder()
                    .setSessionReady(
                            SessionReady.newBuilder()
                                    .setInputFormat(format)
                                    .setOutputFormat(format))
                    .build();
        }
    }
}
