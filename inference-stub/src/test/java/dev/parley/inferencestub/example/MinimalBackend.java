package dev.parley.inferencestub.example;

import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.AudioFormat;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The smallest backend that can be called: it says back what it hears. */
public final class MinimalBackend extends VoiceAgentGrpc.VoiceAgentImplBase {
    private static final AudioFormat FORMAT =
            AudioFormat.newBuilder()
                    .setEncoding(AudioEncoding.AUDIO_ENCODING_LINEAR16)
                    .setSampleRateHz(16_000)
                    .build();

    /** Starts serving; a model may block in the callbacks, as each call has a virtual thread. */
    public static Server serve(int port) throws IOException {
        return NettyServerBuilder.forPort(port)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .permitKeepAliveTime(10, TimeUnit.SECONDS)
                .addService(new MinimalBackend())
                .build()
                .start();
    }

    public static void main(String[] arguments) throws Exception {
        serve(50051).awaitTermination();
    }

    @Override
    public StreamObserver<ConverseRequest> converse(StreamObserver<ConverseResponse> responses) {
        return new StreamObserver<>() {
            @Override
            public void onNext(ConverseRequest request) {
                switch (request.getMessageCase()) {
                    case SESSION_START ->
                            responses.onNext(
                                    ConverseResponse.newBuilder()
                                            .setSessionReady(
                                                    SessionReady.newBuilder()
                                                            .setInputFormat(FORMAT)
                                                            .setOutputFormat(FORMAT))
                                            .build());
                    case INPUT_AUDIO ->
                            responses.onNext(
                                    ConverseResponse.newBuilder()
                                            .setOutputAudio(
                                                    OutputAudio.newBuilder()
                                                            .setAudio(
                                                                    request.getInputAudio()
                                                                            .getAudio())
                                                            .setResponseId("echo"))
                                            .build());
                    default -> {} // Playback reports, keys, events: all of them may be ignored.
                }
            }

            @Override
            public void onCompleted() { // SessionEnd has come and the edge has half-closed.
                responses.onCompleted();
            }

            @Override
            public void onError(Throwable broken) { // The call is gone; there is nobody to tell.
            }
        };
    }
}
