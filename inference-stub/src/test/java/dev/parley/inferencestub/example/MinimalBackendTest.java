package dev.parley.inferencestub.example;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MinimalBackendTest {
    @Test
    void saysBackWhatItHears() throws Exception {
        Server server = MinimalBackend.serve(0);
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                        .usePlaintext()
                        .build();
        try {
            BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
            StreamObserver<ConverseRequest> requests =
                    VoiceAgentGrpc.newStub(channel).converse(new Arrivals(arrived));
            requests.onNext(
                    ConverseRequest.newBuilder()
                            .setSessionStart(SessionStart.getDefaultInstance())
                            .build());
            requests.onNext(
                    ConverseRequest.newBuilder()
                            .setInputAudio(
                                    InputAudio.newBuilder()
                                            .setAudio(ByteString.copyFromUtf8("hello")))
                            .build());
            requests.onCompleted();

            assertThat(arrived.poll(10, TimeUnit.SECONDS)).isEqualTo("SESSION_READY ");
            assertThat(arrived.poll(10, TimeUnit.SECONDS)).isEqualTo("OUTPUT_AUDIO hello");
            assertThat(arrived.poll(10, TimeUnit.SECONDS)).isEqualTo("completed");
        } finally {
            channel.shutdownNow();
            server.shutdownNow();
        }
    }

    @Test
    void standsInTheDocumentation() throws IOException {
        String source =
                Files.readString(
                        Path.of(
                                "src/test/java/dev/parley/inferencestub/example/MinimalBackend.java"));
        String shown = source.substring(source.indexOf("public final class"));

        assertThat(Files.readString(Path.of("../docs/inference.md"))).contains(shown);
    }

    private record Arrivals(BlockingQueue<String> arrived)
            implements StreamObserver<ConverseResponse> {
        @Override
        public void onNext(ConverseResponse response) {
            arrived.add(
                    response.getMessageCase()
                            + " "
                            + response.getOutputAudio().getAudio().toStringUtf8());
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
