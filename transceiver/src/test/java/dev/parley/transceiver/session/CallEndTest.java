package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.transceiver.peer.FakeUdpPort;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import io.grpc.Status;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How calls end, what inference is told, and that nothing is left. */
class CallEndTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);

    private final Rig rig = Rig.withOpus();

    @AfterEach
    void close() {
        rig.close();
    }

    private SessionEnd awaitEnd(FakeVoiceAgent.Call call) {
        SessionEnd end = call.await(ConverseRequest::hasSessionEnd).getSessionEnd();
        assertThat(call.awaitEnd()).isEqualTo("completed");
        rig.pump(() -> rig.calls().count() == 0);
        return end;
    }

    @Test
    void endsWhenTheClientClosesDtls() {
        Peer peer = rig.client("actpass", PLACE);
        rig.connect(peer);
        peer.closeDtls();
        rig.pump(() -> rig.calls().count() == 0);
        assertThat(awaitEnd(rig.agent().awaitCall()).getReason())
                .isEqualTo(EndReason.END_REASON_CLIENT_HANGUP);
    }

    @Test
    void tellsAClientWhoseDtlsBreaksFromOneThatHangsUp() {
        Peer peer = rig.client("actpass", PLACE);
        rig.connect(peer);
        peer.breakDtls();
        rig.pump(() -> rig.calls().count() == 0);
        SessionEnd end = awaitEnd(rig.agent().awaitCall());
        assertThat(end.getReason()).isEqualTo(EndReason.END_REASON_DTLS_FAILED);
        assertThat(end.getMessage())
                .isEqualTo("REFUSED_BY_PEER: The peer sent the alert internal_error(80)");
    }

    @Test
    void closesDtlsTowardsTheClientWhenSignalingHangsUp() {
        Peer peer = rig.client("active", PLACE);
        CreateSessionResponse created = rig.connect(peer);
        rig.close(created);
        rig.pump(() -> peer.closedByServer().isDone());
        assertThat(awaitEnd(rig.agent().awaitCall()).getReason())
                .isEqualTo(EndReason.END_REASON_CLIENT_HANGUP);
    }

    @Test
    void goesOnAfterAGoodbye() {
        Peer peer = rig.client("actpass", PLACE);
        rig.connect(peer);
        peer.sendRtcp(writer -> writer.receiverReport(Peer.SSRC).goodbye(Peer.SSRC));
        rig.advance(100);
        assertThat(rig.calls().count()).isEqualTo(1);
    }

    @Test
    void endsWhenNoCheckComes() {
        rig.create(rig.client("actpass", PLACE));
        rig.advance(14_999);
        assertThat(rig.calls().count()).isEqualTo(1);
        rig.advance(1);
        SessionEnd end = awaitEnd(rig.agent().awaitCall());
        assertThat(end.getReason()).isEqualTo(EndReason.END_REASON_SETUP_TIMEOUT);
        assertThat(end.getMessage()).isEqualTo("no check came");
    }

    @Test
    void endsWhenDtlsIsNotFinished() {
        Peer peer = rig.client("actpass", PLACE);
        rig.create(peer);
        peer.check(rig.now());
        rig.advance(15_000);
        SessionEnd end = awaitEnd(rig.agent().awaitCall());
        assertThat(end.getReason()).isEqualTo(EndReason.END_REASON_SETUP_TIMEOUT);
        assertThat(end.getMessage()).isEqualTo("DTLS was not finished");
    }

    @Test
    void endsWhenTheCertificateIsNotTheOffers() {
        Peer peer = rig.client("actpass", PLACE).withWrongFingerprint();
        rig.create(peer);
        peer.check(rig.now());
        rig.run();
        peer.startDtls();
        rig.pump(() -> rig.calls().count() == 0);
        SessionEnd end = awaitEnd(rig.agent().awaitCall());
        assertThat(end.getReason()).isEqualTo(EndReason.END_REASON_DTLS_FAILED);
        assertThat(end.getMessage()).startsWith("CERTIFICATE_MISMATCH: ");
    }

    @Test
    void endsWhenConsentExpiresThoughMediaGoesOn() {
        Peer peer = rig.client("actpass", PLACE);
        rig.connect(peer);
        long checked = rig.now();
        peer.consent(checked);
        for (int i = 0; i < 1_499; i++) {
            rig.advance(20);
            peer.sendOpus(i, i * 960, (byte) 0xF8, (byte) 1);
        }
        assertThat(rig.calls().count()).isEqualTo(1);
        rig.advance(21);
        assertThat(awaitEnd(rig.agent().awaitCall()).getReason())
                .isEqualTo(EndReason.END_REASON_CONSENT_EXPIRED);
    }

    @Test
    void livesOnWithChecks() {
        Peer peer = rig.client("actpass", PLACE);
        rig.connect(peer);
        for (int i = 0; i < 10; i++) {
            peer.consent(rig.now());
            rig.advance(20_000);
        }
        assertThat(rig.calls().count()).isEqualTo(1);
    }

    @Test
    void hangsUpForTheAgentAfterItsLastWord() {
        Peer peer = rig.client("actpass", PLACE);
        rig.connect(peer);
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        for (int i = 0; i < 25; i++) {
            call.say("r", (byte) 0xF8, (byte) i);
        }
        call.hangUp("that was all");
        rig.advanceUntil(() -> peer.speech().size() == 25);
        assertThat(rig.calls().count()).isEqualTo(1);
        rig.advanceUntil(() -> rig.calls().count() == 0);
        assertThat(peer.speech()).hasSize(25);
        rig.pump(() -> peer.closedByServer().isDone());
        long lastWord = peer.speech().getLast().nanos();
        assertThat(Duration.ofNanos(rig.now() - lastWord))
                .isBetween(Duration.ofMillis(200), Duration.ofMillis(260));
    }

    @Test
    void endsWhenInferenceFails() {
        Peer peer = rig.client("actpass", PLACE);
        rig.connect(peer);
        rig.agent().awaitCall().fail(Status.DATA_LOSS.withDescription("out of luck"));
        rig.pump(() -> rig.calls().count() == 0);
        rig.pump(() -> peer.closedByServer().isDone());
    }

    @Test
    void endsWhenInferenceFailsBeforeTheClientIsThere() {
        rig.create(rig.client("actpass", PLACE));
        rig.agent().awaitCall().fail(Status.FAILED_PRECONDITION);
        rig.pump(() -> rig.calls().count() == 0);
    }

    @Test
    void endsAtTheLongestDuration() {
        SessionLimits limits =
                new SessionLimits(
                        Rig.LIMITS.setupNanos(),
                        Duration.ofHours(2).toNanos(),
                        Duration.ofSeconds(20).toNanos(),
                        Rig.LIMITS.reorderNanos(),
                        960,
                        0,
                        Rig.LIMITS.idleNanos(),
                        100);
        try (Rig short20 =
                new Rig(new FakeVoiceAgent(FakeVoiceAgent.opus(), false), limits, 30_000)) {
            long created = short20.now();
            short20.connect(short20.client("actpass", PLACE));
            short20.advance(19_999 - (short20.now() - created) / 1_000_000);
            assertThat(short20.calls().count()).isEqualTo(1);
            short20.advance(1);
            assertThat(short20.calls().count()).isZero();
            assertThat(
                            short20.agent()
                                    .awaitCall()
                                    .await(ConverseRequest::hasSessionEnd)
                                    .getSessionEnd()
                                    .getReason())
                    .isEqualTo(EndReason.END_REASON_MAX_DURATION);
        }
    }

    @Test
    void tellsEveryoneWhenTheProcessStops() {
        Peer peer = rig.client("actpass", PLACE);
        rig.connect(peer);
        var _ = rig.loop().endAll(dev.parley.transceiver.session.EndReason.SHUTDOWN, "stop");
        rig.run();
        rig.pump(() -> peer.closedByServer().isDone());
        assertThat(awaitEnd(rig.agent().awaitCall()).getReason())
                .isEqualTo(EndReason.END_REASON_SHUTDOWN);
    }

    @Test
    void endsOnlyTheSessionThatAFaultHits() {
        Peer unlucky = rig.client("actpass", PLACE);
        rig.connect(unlucky);
        FakeVoiceAgent.Call unluckyCall = rig.agent().awaitCall();
        Session faulty = rig.loop().table().all().getFirst();
        Peer other = rig.client("actpass", new Place(Address.ipv4(2, 50_002), true));
        rig.connect(other);
        FakeVoiceAgent.Call otherCall = rig.agent().awaitCall();

        // Longer than anything that could ever be sent: writing it leaves the buffer.
        rig.loop().post(new LoopCommand.DtlsSend(faulty, new byte[1 << 20]));
        rig.pump(() -> rig.calls().count() == 1);
        assertThat(unluckyCall.await(ConverseRequest::hasSessionEnd).getSessionEnd().getReason())
                .isEqualTo(EndReason.END_REASON_INTERNAL_ERROR);
        other.sendOpus(1, 960, (byte) 0xF8, (byte) 1);
        rig.run();
        otherCall.await(ConverseRequest::hasInputAudio);
    }

    @Test
    void endsTheOthersThoughOneCannotEndWell() {
        rig.create(rig.client("actpass", PLACE));
        rig.create(rig.client("actpass", new Place(Address.ipv4(2, 50_002), true)));
        List<Session> retired = new ArrayList<>();
        MediaLoop loop =
                new MediaLoop(
                        new LoopSettings(List.of(), RouteKeys.of(Map.of(1, new byte[16]))),
                        new FakeUdpPort((_, _) -> {}),
                        () -> {},
                        rig.loop().ntp(),
                        new SecureRandom(),
                        (session, _) -> {
                            retired.add(session);
                            throw new IllegalStateException("cannot end well");
                        },
                        () -> {});
        for (Session session : rig.loop().table().all()) {
            rig.loop().table().remove(session);
            var _ = loop.add(session);
        }
        CompletableFuture<Void> ended =
                loop.endAll(dev.parley.transceiver.session.EndReason.SHUTDOWN, "stop");
        var _ = loop.runOnce(rig.now());
        assertThat(ended).isCompleted();
        assertThat(retired).hasSize(2);
    }

    @Test
    void remembersHowACallEnded() {
        CreateSessionResponse created = rig.create(rig.client("actpass", PLACE));
        rig.advance(15_000);
        DescribeSessionResponse ended = rig.describe(created);
        assertThat(ended.getState()).isEqualTo(SessionState.SESSION_STATE_ENDED);
        assertThat(ended.getEndReason()).isEqualTo(EndReason.END_REASON_SETUP_TIMEOUT);
        assertThat(ended.getEndMessage()).isEqualTo("no check came");
        assertThat(ended.getAgeMs()).isEqualTo(15_000);
    }

    @Test
    void remembersNoMoreThanItCanHold() {
        CreateSessionResponse first = rig.create(rig.client("actpass", PLACE));
        rig.close(first);
        for (int i = 0; i < 1_024; i++) {
            CreateSessionResponse next = rig.create(rig.client("actpass", PLACE));
            rig.close(next);
            rig.run();
        }
        assertThat(catchThrowable(() -> rig.describe(first)))
                .hasMessageContaining("no such session");
    }

    @Test
    void saysGoodbyeInRtcp() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse created = rig.connect(peer);
        rig.close(created);
        rig.pump(() -> rig.calls().count() == 0);
        rig.run();
        byte[] last = peer.rtcpReceived().getLast();
        assertThat(last[last.length - 7] & 0xFF).isEqualTo(203);
    }
}
