package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls over a loop that is driven by hand. */
class CallTest {
    private static final Place HEADED = new Place(Address.ipv4(1, 50_001), true);
    private static final Place PLAIN = new Place(Address.ipv4(1, 50_001), false);

    private final Rig rig = Rig.withOpus();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void answersACheckThatComesInTheTurnInWhichItsCallWasMade() {
        Peer peer = rig.client("actpass", HEADED);
        rig.createInTurn(peer);
        assertThat(rig.loop().table().all()).allMatch(made -> made.ice().hasArrived()).hasSize(1);
        assertThat(rig.counters()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"actpass,true", "active,true", "passive,true", "actpass,false", "active,false"})
    void carriesOpusBothWays(String setup, boolean headed) {
        Peer peer = rig.client(setup, headed ? HEADED : PLAIN);
        CreateSessionResponse created = rig.connect(peer);
        FakeVoiceAgent.Call call = rig.agent().awaitCall();

        peer.sendOpus(65_535, 1_000, (byte) 0xF8, (byte) 1);
        peer.sendOpusWithLevel(0, 1_960, 0x80 | 30, (byte) 0xF8, (byte) 2);
        rig.run();
        InputAudio first = call.await(ConverseRequest::hasInputAudio).getInputAudio();
        assertThat(first.getAudio().toByteArray()).containsExactly(0xF8, 1);
        assertThat(first.getSequenceNumber()).isZero();
        assertThat(first.getAudioOffsetMs()).isZero();
        assertThat(first.getNumSamples()).isEqualTo(960);
        assertThat(first.hasAudioLevelDbov()).isFalse();
        InputAudio second = call.await(ConverseRequest::hasInputAudio).getInputAudio();
        assertThat(second.getSequenceNumber()).isEqualTo(1);
        assertThat(second.getAudioOffsetMs()).isEqualTo(20);
        assertThat(second.getAudioLevelDbov()).isEqualTo(-30);
        assertThat(second.getVoiceActivity()).isTrue();

        call.say("r1", (byte) 0xF8, (byte) 7);
        rig.advanceUntil(() -> !peer.speech().isEmpty());
        assertThat(peer.speech().getFirst().payload()).containsExactly(0xF8, 7);
        assertThat(peer.speech().getFirst().marker()).isTrue();

        DescribeSessionResponse described = rig.describe(created);
        assertThat(described.getState()).isEqualTo(SessionState.SESSION_STATE_CONNECTED);
        assertThat(described.getPacketsReceived()).isEqualTo(2);
        assertThat(described.getPacketsSent()).isEqualTo(peer.received().size());
    }
}
