package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls whose client carries DTLS in its checks, draft-hancke-webrtc-sped, in both roles. */
class DtlsInStunCallTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);

    private final Rig rig = Rig.withOpus();

    @AfterEach
    void close() {
        rig.close();
    }

    /** Checks until both sides are done, time standing still. */
    private CreateSessionResponse shakeHands(Peer peer) {
        CreateSessionResponse created = rig.create(peer);
        peer.startDtls();
        rig.pump(
                () -> {
                    peer.check(rig.now());
                    return peer.dtlsDone() && rig.describe(created).getSetup().hasDtlsConnectedMs();
                });
        assertThat(peer.dtlsOutcome()).isInstanceOf(DtlsOutcome.Connected.class);
        return created;
    }

    private String restart(CreateSessionResponse created, String offer) {
        return rig.request(
                        UpdateSessionRequest.newBuilder()
                                .setSessionId(created.getSessionId())
                                .setOfferSdp(offer)
                                .addRelayAddresses("203.0.113.10:3478")
                                .build(),
                        rig.control()::updateSession)
                .getAnswerSdp();
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void connectsThoughNoDtlsComesThroughByItself(String setup) {
        Peer peer = rig.client(setup, PLACE).withDtlsInStun().withoutPlainDtls();

        shakeHands(peer);

        assertThat(peer.answeredSped()).isTrue();
        assertThat(peer.dtlsInAnswers()).isPositive();
        assertThat(rig.dtlsInStun("received")).isPositive();
        assertThat(rig.dtlsInStun("sent")).isGreaterThanOrEqualTo(peer.dtlsInAnswers());
        int before = peer.received().size();
        rig.advanceUntil(() -> peer.received().size() > before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void connectsWhereBothCome(String setup) {
        Peer peer = rig.client(setup, PLACE).withDtlsInStun();

        shakeHands(peer);

        int before = peer.received().size();
        rig.advanceUntil(() -> peer.received().size() > before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void acknowledgesAllOfTheClientsAndThenIsSilent(String setup) {
        Peer peer = rig.client(setup, PLACE).withDtlsInStun();
        shakeHands(peer);

        rig.pump(
                () -> {
                    peer.check(rig.now());
                    return peer.isDtlsAcknowledged();
                });
        peer.check(rig.now());
        rig.run();
        long sent = rig.dtlsInStun("sent");
        for (int i = 0; i < 10; i++) {
            peer.check(rig.now());
            rig.run();
        }
        assertThat(rig.dtlsInStun("sent")).isEqualTo(sent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void restartsIceMeanwhileAsEver(String setup) {
        Peer peer = rig.client(setup, PLACE).withDtlsInStun().withoutPlainDtls();
        CreateSessionResponse created = rig.create(peer);
        peer.check(rig.now());
        rig.run();
        peer.restartIce();
        peer.answer(restart(created, peer.offer()), rig.now());
        peer.startDtls();
        rig.pump(
                () -> {
                    peer.check(rig.now());
                    return peer.dtlsDone();
                });

        assertThat(peer.answeredSped()).isTrue();
        assertThat(peer.dtlsOutcome()).isInstanceOf(DtlsOutcome.Connected.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void isDeafAndSilentToAClientThatHasNotOfferedIt(String setup) {
        Peer peer = rig.client(setup, PLACE).withDtlsInStun();
        peer.answer(
                rig.request(
                                CreateSessionRequest.newBuilder()
                                        .setOfferSdp(peer.offer().replace(" sped", ""))
                                        .setModel("model")
                                        .addRelayAddresses("203.0.113.10:3478")
                                        .build(),
                                rig.control()::createSession)
                        .getAnswerSdp(),
                rig.now());
        peer.check(rig.now());
        rig.run();
        peer.startDtls();
        rig.pump(peer::dtlsDone);
        peer.check(rig.now());
        rig.run();

        assertThat(peer.answeredSped()).isFalse();
        assertThat(peer.answersOfDtls()).isZero();
        assertThat(rig.dtlsInStun("sent") + rig.dtlsInStun("received")).isZero();
    }

    @Test
    void agreesToNothingThatTheFirstOfferHasNot() {
        Peer peer = rig.client("actpass", PLACE);
        CreateSessionResponse created = rig.connect(peer);

        assertThat(restart(created, peer.offeringDtlsInStun().restartIce().offer()))
                .contains("a=setup:active")
                .doesNotContain("sped");
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void aClientThatOffersItAndDoesNotDoItShakesHandsAsEver(String setup) {
        Peer peer = rig.client(setup, PLACE).offeringDtlsInStun();

        rig.connect(peer);

        assertThat(peer.answeredSped()).isTrue();
        assertThat(rig.dtlsInStun("sent") + rig.dtlsInStun("received")).isZero();
    }
}
