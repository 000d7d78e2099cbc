package dev.parley.transceiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.otel.Telemetry;
import dev.parley.proto.control.v1.CloseSessionRequest;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.DescribeSessionRequest;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.proto.control.v1.TransceiverGrpc.TransceiverBlockingStub;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.rtc.sctp.SctpConfig;
import dev.parley.rtc.sctp.SctpInit;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.SocketPeer;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole service over real sockets. */
class TransceiverTest {
    private final FakeVoiceAgent agent = new FakeVoiceAgent(FakeVoiceAgent.opus(), true);
    private final Transceiver transceiver = start(Map.of());
    private final ManagedChannel channel =
            NettyChannelBuilder.forAddress(transceiver.controlAddress()).usePlaintext().build();
    private final TransceiverBlockingStub control = TransceiverGrpc.newBlockingStub(channel);

    private Transceiver start(Map<String, String> more) {
        Map<String, String> options = new HashMap<>();
        options.put("route_keys", "0=000102030405060708090a0b0c0d0e0f");
        options.put("backends", "*=" + agent.target());
        options.putAll(more);
        return Transceiver.start(
                ConfigLoader.of(TransceiverConfig.class, options), Telemetry.none());
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        transceiver.close();
        agent.close();
    }

    @Test
    void tellsToolsWhatItServes() throws Exception {
        BlockingQueue<ServerReflectionResponse> answers = new LinkedBlockingQueue<>();
        StreamObserver<ServerReflectionRequest> questions =
                ServerReflectionGrpc.newStub(channel)
                        .serverReflectionInfo(
                                new StreamObserver<>() {
                                    @Override
                                    public void onNext(ServerReflectionResponse answer) {
                                        answers.add(answer);
                                    }

                                    @Override
                                    public void onError(Throwable t) {}

                                    @Override
                                    public void onCompleted() {}
                                });
        questions.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
        ServerReflectionResponse answer =
                Objects.requireNonNull(answers.poll(10, TimeUnit.SECONDS));
        assertThat(answer.getListServicesResponse().getServiceList())
                .extracting(ServiceResponse::getName)
                .contains(TransceiverGrpc.SERVICE_NAME, HealthGrpc.SERVICE_NAME);
        questions.onCompleted();
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active", "passive"})
    void echoesAudioOverRealSockets(String setup) {
        InetSocketAddress media = transceiver.mediaAddresses().getFirst();
        try (SocketPeer peer = new SocketPeer(setup, media)) {
            CreateSessionResponse created =
                    control.createSession(
                            CreateSessionRequest.newBuilder()
                                    .setOfferSdp(peer.offer())
                                    .setModel("echo")
                                    .addRelayAddresses("127.0.0.1:" + media.getPort())
                                    .build());
            peer.connect(created.getAnswerSdp());
            List<byte[]> heard = peer.exchange(50);
            assertThat(heard).hasSizeGreaterThan(40);

            DescribeSessionResponse described =
                    control.describeSession(
                            DescribeSessionRequest.newBuilder()
                                    .setSessionId(created.getSessionId())
                                    .build());
            assertThat(described.getState()).isEqualTo(SessionState.SESSION_STATE_CONNECTED);
            assertThat(described.getPacketsReceived()).isEqualTo(50);
            assertThat(described.getSetup().getFirstInputAudioMs())
                    .isGreaterThanOrEqualTo(described.getSetup().getDtlsConnectedMs());

            control.closeSession(
                    CloseSessionRequest.newBuilder().setSessionId(created.getSessionId()).build());
            FakeVoiceAgent.Call call = agent.awaitCall();
            assertThat(call.await(ConverseRequest::hasSessionEnd).getSessionEnd().getReason())
                    .isEqualTo(EndReason.END_REASON_CLIENT_HANGUP);
            assertThat(call.awaitEnd()).isEqualTo("completed");
            peer.awaitClose();
        }
    }

    @Test
    void echoesNothingOfTheWarpDraftsUnlessToldTo() {
        SctpInit init = SctpInit.of(SctpConfig.DEFAULT, new Random(1));
        String offer =
                new Peer("actpass", 1, _ -> {})
                        .withSctpInit(init.text())
                        .offeringDtlsInStun()
                        .offer();
        assertThat(offer).contains("a=sctp-init:", " sped");

        String answer =
                control.createSession(
                                CreateSessionRequest.newBuilder()
                                        .setOfferSdp(offer)
                                        .setModel("echo")
                                        .addRelayAddresses("127.0.0.1:9")
                                        .build())
                        .getAnswerSdp();

        assertThat(answer).contains("m=application 9 ").doesNotContain("sctp-init", "sped");
    }

    @Test
    void tellsThoseWhoLookAtACallThatTheStopEndedIt() throws Exception {
        InetSocketAddress media = transceiver.mediaAddresses().getFirst();
        try (SocketPeer peer = new SocketPeer("actpass", media)) {
            DescribeSessionRequest call =
                    DescribeSessionRequest.newBuilder()
                            .setSessionId(
                                    control.createSession(
                                                    CreateSessionRequest.newBuilder()
                                                            .setOfferSdp(peer.offer())
                                                            .setModel("echo")
                                                            .addRelayAddresses("127.0.0.1:9")
                                                            .build())
                                            .getSessionId())
                            .build();
            assertThat(control.describeSession(call).getState())
                    .isEqualTo(SessionState.SESSION_STATE_NEW);

            Thread stopping = Thread.ofVirtual().start(transceiver::close);
            DescribeSessionResponse seen = control.describeSession(call);
            while (seen.getState() != SessionState.SESSION_STATE_ENDED) {
                seen = control.describeSession(call);
            }
            assertThat(seen.getEndReason()).isEqualTo(EndReason.END_REASON_SHUTDOWN);
            stopping.join();
        }
    }

    @Test
    void endsACallWhoseAnswerNobodyWaitsForAnyMore() {
        CountDownLatch givenUp = new CountDownLatch(1);
        FakeVoiceAgent hesitant =
                new FakeVoiceAgent(
                        start -> {
                            try {
                                givenUp.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            return FakeVoiceAgent.opus().apply(start);
                        },
                        false);
        InetSocketAddress media = transceiver.mediaAddresses().getFirst();
        Transceiver other = start(Map.of("backends", "*=" + hesitant.target()));
        ManagedChannel toOther =
                NettyChannelBuilder.forAddress(other.controlAddress()).usePlaintext().build();
        try (hesitant;
                other;
                SocketPeer peer = new SocketPeer("actpass", media)) {
            assertThatThrownBy(
                            () ->
                                    TransceiverGrpc.newBlockingStub(toOther)
                                            .withDeadlineAfter(500, TimeUnit.MILLISECONDS)
                                            .createSession(
                                                    CreateSessionRequest.newBuilder()
                                                            .setOfferSdp(peer.offer())
                                                            .setModel("echo")
                                                            .addRelayAddresses("127.0.0.1:9")
                                                            .build()))
                    .hasMessageContaining("DEADLINE_EXCEEDED");
            givenUp.countDown();

            SessionEnd end =
                    hesitant.awaitCall().await(ConverseRequest::hasSessionEnd).getSessionEnd();
            assertThat(end.getReason()).isEqualTo(EndReason.END_REASON_ABANDONED);
            assertThat(end.getMessage()).isEqualTo("signaling gave up waiting");
        } finally {
            toOther.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nonsense", "host:0", "host:port", "dns:///host", ":9090", "host:1 host"})
    void refusesABackendThatIsNoHostAndPort(String target) {
        assertThatThrownBy(() -> start(Map.of("backends", "*=" + target)))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(
                        "backends: \""
                                + target.substring(target.indexOf(' ') + 1)
                                + "\" of model \"*\" ")
                .hasMessageEndingWith("for instance \"*\": 127.0.0.1:9090");
    }

    @Test
    void namesTheKeyOfAnAddressInUse() {
        InetSocketAddress media = transceiver.mediaAddresses().getFirst();
        InetSocketAddress taken = transceiver.controlAddress();
        assertThatThrownBy(() -> start(Map.of("media_address", "127.0.0.1:" + media.getPort())))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("media_address: ");
        assertThatThrownBy(() -> start(Map.of("control_address", "127.0.0.1:" + taken.getPort())))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("control_address: ");
    }
}
