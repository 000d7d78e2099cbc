package dev.parley.inferencestub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.parley.otel.Telemetry;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stub as a process sees it: real sockets on the loopback address. */
@Timeout(60)
class InferenceStubTest {
    private final Telemetry telemetry = Telemetry.none();
    private final InferenceStub stub = InferenceStub.start(config("127.0.0.1:0"), telemetry);
    private final ManagedChannel channel =
            NettyChannelBuilder.forAddress(stub.address()).usePlaintext().build();

    @AfterEach
    void stop() {
        channel.shutdownNow();
        stub.close();
    }

    @Test
    void echoesManyStreamsOverOneConnection() throws InterruptedException {
        List<Arrivals> calls = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Arrivals arrivals = new Arrivals();
            StreamObserver<ConverseRequest> requests =
                    VoiceAgentGrpc.newStub(channel).converse(arrivals);
            requests.onNext(start("echo"));
            // As many as may come at once and not be dropped.
            for (int number = 0; number < 2; number++) {
                requests.onNext(packet(number));
            }
            calls.add(arrivals);
        }

        for (Arrivals call : calls) {
            assertThat(call.next()).isEqualTo("SESSION_READY");
            for (int number = 0; number < 2; number++) {
                assertThat(call.next()).isEqualTo("OUTPUT_AUDIO " + number);
            }
        }
        assertThat(telemetry.snapshot())
                .containsEntry("parley.inference_stub.open_streams", 50L)
                .containsEntry("parley.inference_stub.sessions{model=echo}", 50L);
    }

    @Test
    void sendsToneWithoutBeingPrompted() throws InterruptedException {
        Arrivals arrivals = new Arrivals();
        VoiceAgentGrpc.newStub(channel).converse(arrivals).onNext(start("tone"));

        // More than the second that is sent at once: the timer runs.
        for (int i = 0; i < 15; i++) {
            assertThat(arrivals.next()).isNotEqualTo("nothing");
        }
    }

    @Test
    void servesHealth() {
        HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(channel);

        assertThat(
                        health.check(
                                        HealthCheckRequest.newBuilder()
                                                .setService("parley.inference.v1.VoiceAgent")
                                                .build())
                                .getStatus())
                .isEqualTo(ServingStatus.SERVING);
    }

    @Test
    void servesReflection() throws InterruptedException {
        BlockingQueue<List<String>> services = new LinkedBlockingQueue<>();
        ServerReflectionGrpc.newStub(channel)
                .serverReflectionInfo(
                        new StreamObserver<>() {
                            @Override
                            public void onNext(ServerReflectionResponse response) {
                                services.add(
                                        response.getListServicesResponse().getServiceList().stream()
                                                .map(ServiceResponse::getName)
                                                .toList());
                            }

                            @Override
                            public void onError(Throwable thrown) {
                                services.add(List.of(thrown.toString()));
                            }

                            @Override
                            public void onCompleted() {}
                        })
                .onNext(ServerReflectionRequest.newBuilder().setListServices("").build());

        assertThat(services.poll(10, TimeUnit.SECONDS)).contains("parley.inference.v1.VoiceAgent");
    }

    @Test
    void endsOpenCallsWhenItStops() throws InterruptedException {
        Arrivals arrivals = new Arrivals();
        VoiceAgentGrpc.newStub(channel).converse(arrivals).onNext(start("silence"));
        assertThat(arrivals.next()).isEqualTo("SESSION_READY");

        stub.close();
        stub.close();

        assertThat(arrivals.next()).isEqualTo("UNAVAILABLE: the inference stub is stopping");
        assertThat(telemetry.snapshot()).containsEntry("parley.inference_stub.open_streams", 0L);
    }

    @Test
    void hasCallsMoveBeforeItStops() throws Exception {
        Arrivals arrivals = new Arrivals();
        StreamObserver<ConverseRequest> edge = VoiceAgentGrpc.newStub(channel).converse(arrivals);
        edge.onNext(start("silence"));
        assertThat(arrivals.next()).isEqualTo("SESSION_READY");

        CompletableFuture<Boolean> drained = CompletableFuture.supplyAsync(stub::drain);
        assertThat(arrivals.next()).isEqualTo("HANDOVER");
        Arrivals late = new Arrivals();
        VoiceAgentGrpc.newStub(channel).converse(late).onNext(start("silence"));
        assertThat(late.next()).startsWith("UNAVAILABLE");
        assertThat(drained).isNotDone();

        edge.onNext(
                ConverseRequest.newBuilder()
                        .setSessionEnd(
                                SessionEnd.newBuilder().setReason(EndReason.END_REASON_MOVED))
                        .build());
        assertThat(drained.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(arrivals.next()).isEqualTo("completed");
    }

    @Test
    void saysWhichAddressIsTaken() {
        String taken = "127.0.0.1:" + stub.address().getPort();

        assertThatThrownBy(() -> InferenceStub.start(config(taken), Telemetry.none()))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "grpc_address: cannot listen on "
                                + taken
                                + " (Address already in use); choose a local address and a free"
                                + " port");
    }

    private static InferenceStubConfig config(String address) {
        return ConfigLoader.of(InferenceStubConfig.class, Map.of("grpc_address", address));
    }

    private static ConverseRequest start(String model) {
        return ConverseRequest.newBuilder()
                .setSessionStart(TestEdge.START.clone().setModel(model))
                .build();
    }

    private static ConverseRequest packet(int number) {
        return ConverseRequest.newBuilder()
                .setInputAudio(
                        InputAudio.newBuilder()
                                .setAudio(ByteString.copyFrom(new byte[] {(byte) number}))
                                .setSequenceNumber(number)
                                .setAudioOffsetMs(number * 20L)
                                .setNumSamples(960))
                .build();
    }

    private static final class Arrivals implements StreamObserver<ConverseResponse> {
        private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();

        String next() throws InterruptedException {
            String arrival = arrived.poll(10, TimeUnit.SECONDS);
            return arrival == null ? "nothing" : arrival;
        }

        @Override
        public void onNext(ConverseResponse response) {
            ByteString audio = response.getOutputAudio().getAudio();
            arrived.add(
                    response.getMessageCase() + (audio.size() == 1 ? " " + audio.byteAt(0) : ""));
        }

        @Override
        public void onError(Throwable thrown) {
            Status status = Status.fromThrowable(thrown);
            arrived.add(status.getCode() + ": " + status.getDescription());
        }

        @Override
        public void onCompleted() {
            arrived.add("completed");
        }
    }
}
