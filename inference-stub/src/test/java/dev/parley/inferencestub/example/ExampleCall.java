package dev.parley.inferencestub.example;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One call to an agent of the examples, which are all meant to do the same: it answers an utterance
 * and stops when interrupted. Owned by one test.
 */
final class ExampleCall {
    private static final int FRAME_SAMPLES = 320;

    private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
    private long offsetMs;

    private ExampleCall() {}

    /** Runs an agent as its reader would, and calls it as the edge does. */
    static void toAgentOf(ProcessBuilder command) throws IOException, InterruptedException {
        Process agent = command.redirectErrorStream(true).start();
        try (BufferedReader output =
                new BufferedReader(
                        new InputStreamReader(agent.getInputStream(), StandardCharsets.UTF_8))) {
            String ready = output.readLine();
            assertThat(ready).startsWith("ready ");
            new ExampleCall().talk(Integer.parseInt(ready.substring("ready ".length())));
        } finally {
            agent.destroy();
        }
    }

    private void talk(int port) throws InterruptedException {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        try {
            StreamObserver<ConverseRequest> edge =
                    VoiceAgentGrpc.newStub(channel).converse(new Arrivals(arrived));
            edge.onNext(
                    ConverseRequest.newBuilder()
                            .setSessionStart(SessionStart.getDefaultInstance())
                            .build());
            assertThat(next()).isEqualTo("SESSION_READY");

            speak(edge, 1_200, 8_000);
            speak(edge, 600, 0);
            assertThat(next()).isEqualTo("SERVER_EVENT {\"type\": \"heard\", \"ms\": 1200}");
            for (int beep = 0; beep < 2; beep++) {
                assertThat(next()).isEqualTo("OUTPUT_AUDIO answer-1 9600");
                assertThat(next()).isEqualTo("OUTPUT_AUDIO answer-1 6400");
            }

            speak(edge, 100, 8_000);
            assertThat(next()).isEqualTo("CLEAR_AUDIO answer-1");

            edge.onCompleted();
            assertThat(next()).isEqualTo("completed");
        } finally {
            channel.shutdownNow();
        }
    }

    private void speak(StreamObserver<ConverseRequest> edge, int millis, int amplitude) {
        for (int at = 0; at < millis; at += 20) {
            ByteBuffer samples =
                    ByteBuffer.allocate(FRAME_SAMPLES * 2).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < FRAME_SAMPLES; i++) {
                samples.putShort((short) (i / 20 % 2 == 0 ? amplitude : -amplitude));
            }
            edge.onNext(
                    ConverseRequest.newBuilder()
                            .setInputAudio(
                                    InputAudio.newBuilder()
                                            .setAudio(ByteString.copyFrom(samples.flip()))
                                            .setAudioOffsetMs(offsetMs)
                                            .setNumSamples(FRAME_SAMPLES))
                            .build());
            offsetMs += 20;
        }
    }

    private String next() throws InterruptedException {
        return String.valueOf(arrived.poll(20, TimeUnit.SECONDS));
    }

    private record Arrivals(BlockingQueue<String> arrived)
            implements StreamObserver<ConverseResponse> {
        @Override
        public void onNext(ConverseResponse response) {
            String kind = response.getMessageCase().name();
            arrived.add(
                    switch (response.getMessageCase()) {
                        case OUTPUT_AUDIO ->
                                kind
                                        + " "
                                        + response.getOutputAudio().getResponseId()
                                        + " "
                                        + response.getOutputAudio().getAudio().size();
                        case SERVER_EVENT -> kind + " " + response.getServerEvent().getText();
                        case CLEAR_AUDIO -> kind + " " + response.getClearAudio().getResponseId();
                        default -> kind;
                    });
        }

        @Override
        public void onError(Throwable thrown) {
            arrived.add(thrown.toString());
        }

        @Override
        public void onCompleted() {
            arrived.add("completed");
        }
    }
}
