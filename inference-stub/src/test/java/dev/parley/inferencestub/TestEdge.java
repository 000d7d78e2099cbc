package dev.parley.inferencestub;

import com.google.protobuf.ByteString;
import dev.parley.otel.Telemetry;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.PlaybackStopped;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import dev.parley.runtime.config.ConfigLoader;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The edge's side of the stream, in this process. Everything runs on the caller's thread, so that
 * when a method returns the stub has answered; time moves only by {@link #advance}.
 */
final class TestEdge implements AutoCloseable {
    static final String SESSION_ID = "0123456789abcdef0123456789abcdef";
    static final SessionStart.Builder START =
            SessionStart.newBuilder()
                    .setSessionId(SESSION_ID)
                    .addInputFormats(WireFormat.OPUS.toProto())
                    .addInputFormats(WireFormat.LINEAR16_24K.toProto())
                    .addOutputFormats(WireFormat.OPUS.toProto())
                    .addOutputFormats(WireFormat.LINEAR16_24K.toProto());

    final TestSynthesizer synthesizer = new TestSynthesizer();
    private final Telemetry telemetry = Telemetry.none();
    private final VoiceAgentService service;
    private final Server server;
    private final ManagedChannel channel;
    private long nowNanos = 1;

    TestEdge() {
        this(Map.of(), new StubObserver() {});
    }

    TestEdge(Map<String, String> options, StubObserver observer) {
        service =
                new VoiceAgentService(
                        ConfigLoader.of(InferenceStubConfig.class, options),
                        telemetry,
                        observer,
                        () -> nowNanos,
                        synthesizer);
        String name = InProcessServerBuilder.generateName();
        try {
            server =
                    InProcessServerBuilder.forName(name)
                            .directExecutor()
                            .addService(service)
                            .build()
                            .start();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        channel = InProcessChannelBuilder.forName(name).directExecutor().build();
    }

    /** Opens a stream and sends nothing; the edge takes any number of messages. */
    Call open() {
        return open(Integer.MAX_VALUE);
    }

    /**
     * Opens a stream whose edge takes only so many messages until it {@link Call#take takes} more.
     */
    Call open(int initialRequests) {
        Call call = new Call(initialRequests);
        var _ = VoiceAgentGrpc.newStub(channel).converse(call);
        return call;
    }

    /** Opens a stream for a model in the edge's usual formats. */
    Call start(String model) {
        return open().start(model, Map.of());
    }

    void advance(long millis) {
        nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
        service.tick();
    }

    long count(String nameAndLabel) {
        return telemetry.snapshot().getOrDefault("parley.inference_stub." + nameAndLabel, -1L);
    }

    @Override
    public void close() {
        channel.shutdownNow();
        server.shutdownNow();
    }

    /** One stream. */
    static final class Call implements ClientResponseObserver<ConverseRequest, ConverseResponse> {
        final List<ConverseResponse> responses = new ArrayList<>();
        private final int initialRequests;
        private @Nullable ClientCallStreamObserver<ConverseRequest> requests;
        private @Nullable Status status;
        private long sequenceNumber;
        private long samplesSent;

        Call(int initialRequests) {
            this.initialRequests = initialRequests;
        }

        Call start(String model, Map<String, String> attributes) {
            return send(START.clone().setModel(model).putAllAttributes(attributes));
        }

        Call send(SessionStart.Builder start) {
            return send(ConverseRequest.newBuilder().setSessionStart(start).build());
        }

        Call send(InputAudio.Builder audio) {
            return send(ConverseRequest.newBuilder().setInputAudio(audio).build());
        }

        Call send(ConverseRequest request) {
            stream().onNext(request);
            return this;
        }

        Call sendEnd() {
            return send(
                    ConverseRequest.newBuilder()
                            .setSessionEnd(SessionEnd.getDefaultInstance())
                            .build());
        }

        Call sendPlaybackStopped(String responseId) {
            return send(
                    ConverseRequest.newBuilder()
                            .setPlaybackStopped(
                                    PlaybackStopped.newBuilder().setResponseId(responseId))
                            .build());
        }

        /** Sends samples in messages of at most {@code perMessage}, offsets following on. */
        Call speak(WireFormat format, short[] samples, int perMessage) {
            for (int at = 0; at < samples.length; at += perMessage) {
                short[] piece =
                        Arrays.copyOfRange(samples, at, Math.min(samples.length, at + perMessage));
                send(
                        InputAudio.newBuilder()
                                .setAudio(format.encode(piece))
                                .setSequenceNumber(sequenceNumber++)
                                .setAudioOffsetMs(samplesSent * 1_000 / format.sampleRateHz())
                                .setNumSamples(piece.length));
                samplesSent += piece.length;
            }
            return this;
        }

        /** Sends samples of LINEAR16 at 24 kHz, 20 ms a message. */
        Call speak(short[] samples) {
            return speak(WireFormat.LINEAR16_24K, samples, 480);
        }

        /** Lets time pass on the audio clock without sending anything. */
        Call skip(WireFormat format, long millis) {
            samplesSent += millis * format.sampleRateHz() / 1_000;
            return this;
        }

        Call halfClose() {
            stream().onCompleted();
            return this;
        }

        Call cancel() {
            stream().cancel("the test has seen enough", null);
            return this;
        }

        Call take(int messages) {
            stream().request(messages);
            return this;
        }

        /** The status that ended the stream, {@code CODE: message}; "open" while it lives. */
        String status() {
            Status ended = status;
            if (ended == null) {
                return "open";
            }
            return ended.getDescription() == null
                    ? ended.getCode().name()
                    : ended.getCode() + ": " + ended.getDescription();
        }

        /** What came after SessionReady, by kind: "audio parrot-1", "clear parrot-1". */
        List<String> kinds() {
            return responses.stream()
                    .map(
                            response ->
                                    switch (response.getMessageCase()) {
                                        case OUTPUT_AUDIO ->
                                                "audio "
                                                        + response.getOutputAudio().getResponseId();
                                        case CLEAR_AUDIO ->
                                                "clear " + response.getClearAudio().getResponseId();
                                        case TRANSCRIPT ->
                                                "transcript " + response.getTranscript().getText();
                                        default -> response.getMessageCase().name();
                                    })
                    .filter(kind -> !kind.equals("SESSION_READY"))
                    .distinct()
                    .toList();
        }

        /** The audio of one response as samples. */
        short[] audio(String responseId, WireFormat format) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (ConverseResponse response : responses) {
                if (response.hasOutputAudio()
                        && response.getOutputAudio().getResponseId().equals(responseId)) {
                    bytes.writeBytes(response.getOutputAudio().getAudio().toByteArray());
                }
            }
            return format.decode(ByteString.copyFrom(bytes.toByteArray()));
        }

        short[] audio(String responseId) {
            return audio(responseId, WireFormat.LINEAR16_24K);
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<ConverseRequest> stream) {
            requests = stream;
            stream.disableAutoRequestWithInitial(initialRequests);
        }

        @Override
        public void onNext(ConverseResponse response) {
            responses.add(response);
        }

        @Override
        public void onError(Throwable thrown) {
            status = Status.fromThrowable(thrown);
        }

        @Override
        public void onCompleted() {
            status = Status.OK;
        }

        private ClientCallStreamObserver<ConverseRequest> stream() {
            if (requests == null) {
                throw new IllegalStateException("the stream has not been opened");
            }
            return requests;
        }
    }
}
