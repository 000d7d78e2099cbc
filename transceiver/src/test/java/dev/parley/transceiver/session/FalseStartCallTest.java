package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Audio that goes out before the client's DTLS Finished has come. */
class FalseStartCallTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), false);

    private final Rig rig = Rig.withOpus();
    private final Peer peer = rig.client("actpass", PLACE).holdingItsFinished();
    private CreateSessionResponse created = CreateSessionResponse.getDefaultInstance();

    @BeforeEach
    void shakeHands() {
        created = rig.create(peer);
        peer.check(rig.now());
        rig.run();
        peer.startDtls();
        rig.pump(peer::dtlsDone);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private SessionState state() {
        return rig.describe(created).getState();
    }

    private void awaitFirstAudio() {
        rig.advanceUntil(() -> !peer.received().isEmpty());
    }

    private void finish() {
        peer.releaseDtls();
        rig.pump(() -> state() == SessionState.SESSION_STATE_CONNECTED);
    }

    @Test
    void audioReachesTheClientBeforeItsFinishedHasCome() {
        awaitFirstAudio();

        assertThat(state()).isEqualTo(SessionState.SESSION_STATE_CONNECTING);
        finish();
        rig.advance(200);
        List<Peer.Received> all = peer.received();
        assertThat(all).hasSizeGreaterThanOrEqualTo(10);
        for (int i = 1; i < all.size(); i++) {
            assertThat(all.get(i).sequence()).isEqualTo(all.get(i - 1).sequence() + 1);
            assertThat(all.get(i).ssrc()).isEqualTo(all.get(0).ssrc());
        }
        assertThat(peer.rtcpReceived()).isEmpty();
    }

    @Test
    void nothingThatComesInIsTakenBeforeTheHandshakeIsDone() {
        awaitFirstAudio();

        peer.sendOpus(1, 960, (byte) 0xF8, (byte) 1);
        rig.run();
        assertThat(rig.describe(created).getPacketsReceived()).isZero();
        assertThat(rig.describe(created).getSetup().hasDtlsConnectedMs()).isFalse();

        finish();
        rig.agent().awaitCall().await(ConverseRequest::hasInputAudio);
        assertThat(rig.describe(created).getPacketsReceived()).isOne();
    }

    @Test
    void waitsForAClientWhoseFinishedDoesNotCome() {
        awaitFirstAudio();

        rig.advance(3_000);
        // The round trip took no time here: what is left is the slack.
        assertThat(peer.received()).hasSizeBetween(2, 4);
        assertThat(peer.rtcpReceived()).isEmpty();

        finish();
        int before = peer.received().size();
        rig.advance(200);
        // No burst for the time that it waited.
        assertThat(peer.received()).hasSizeBetween(before + 9, before + 12);
    }

    @Test
    void whatTheBudgetHasNoRoomForIsSaidWhenTheHandshakeIsDone() {
        try (Rig far = Rig.withOpus()) {
            Peer caller = far.client("actpass", PLACE).holdingItsFinished();
            CreateSessionResponse call = far.create(caller);
            FakeVoiceAgent.Call agent = far.agent().awaitCall();
            byte[] packet = new byte[600];
            packet[0] = (byte) 0xF8;
            for (int i = 0; i < 40; i++) {
                agent.say("r", packet);
            }
            caller.check(far.now());
            far.pump(() -> caller.dtlsWaiting() > 0);
            far.advance(600);
            caller.startDtls();
            far.pump(caller::dtlsDone);
            far.advanceUntil(() -> !caller.speech().isEmpty());
            // A round trip and a half is not over, and the packets of one would be due.
            far.advance(800);
            assertThat(caller.speech()).hasSizeLessThan(20);

            caller.releaseDtls();
            far.pump(() -> far.describe(call).getState() == SessionState.SESSION_STATE_CONNECTED);
            // But for the one by which it was seen that there is no room.
            far.advanceUntil(() -> caller.speech().size() == 39);
        }
    }

    @Test
    void aCallThatNeverFinishesEndsAsOneThatWasNotSetUp() {
        awaitFirstAudio();

        rig.advance(20_000);

        SessionEnd end =
                rig.agent().awaitCall().await(ConverseRequest::hasSessionEnd).getSessionEnd();
        assertThat(end.getReason()).isEqualTo(EndReason.END_REASON_SETUP_TIMEOUT);
        assertThat(end.hasQuality()).isFalse();
    }
}
