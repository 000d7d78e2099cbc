package dev.parley.inferencestub.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent in examples/python, run as its reader would and called as the edge does. */
class PythonAgentTest {
    private static final String PYTHON = "/usr/bin/python3";
    private static final int FRAME_SAMPLES = 320;

    private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
    private long offsetMs;

    @Test
    void answersAnUtteranceAndStopsWhenInterrupted(@TempDir Path stubs) throws Exception {
        assumeTrue(
                succeeds(stubs, PYTHON, "-c", "import grpc, google.protobuf"),
                "Python has no grpcio");
        assumeTrue(succeeds(stubs, "sh", "-c", "command -v grpc_python_plugin"), "no plugin");
        assertThat(
                        succeeds(
                                stubs,
                                "sh",
                                "-c",
                                "protoc -I \"$0\" --python_out=. --grpc_python_out=."
                                        + " --plugin=protoc-gen-grpc_python=$(command -v"
                                        + " grpc_python_plugin)"
                                        + " parley/inference/v1/voice_agent.proto",
                                Path.of("../proto/src/main/protobuf").toAbsolutePath().toString()))
                .isTrue();
        ProcessBuilder command =
                new ProcessBuilder(
                                PYTHON,
                                Path.of("examples/python/agent.py").toAbsolutePath().toString(),
                                "--port",
                                "0")
                        .redirectErrorStream(true);
        command.environment().put("PYTHONPATH", stubs.toString());
        Process agent = command.start();
        try (BufferedReader output =
                new BufferedReader(
                        new InputStreamReader(agent.getInputStream(), StandardCharsets.UTF_8))) {
            String ready = output.readLine();
            assertThat(ready).startsWith("ready ");
            talk(Integer.parseInt(ready.substring("ready ".length())));
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

    private static boolean succeeds(Path folder, String... command)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        return process.waitFor() == 0;
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
