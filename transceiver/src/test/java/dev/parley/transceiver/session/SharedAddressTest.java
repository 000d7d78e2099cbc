package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.PacketKind;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two calls with one client address: one that was left, then another; or both at once. */
class SharedAddressTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);
    private static final byte[] HELLO = {
        22, (byte) 0xFE, (byte) 0xFD, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0
    };
    private static final int SOON_MILLIS = 50;
    private static final int NEVER_MILLIS = 600_000;

    private Rig rig = rig(NEVER_MILLIS);
    private final Set<Session> known = new HashSet<>();

    @AfterEach
    void close() {
        rig.close();
    }

    private static Rig rig(int resendMillis) {
        return new Rig(
                new FakeVoiceAgent(FakeVoiceAgent.opus(), false),
                Rig.LIMITS,
                600_000,
                3,
                1_000_000_000_000L,
                resendMillis);
    }

    /** A call up to our first DTLS datagram, which the client does not answer. */
    private Session begin(Peer peer) {
        rig.create(peer);
        Session added =
                rig.loop().table().all().stream().filter(known::add).findFirst().orElseThrow();
        peer.check(rig.now());
        rig.pump(() -> peer.dtlsWaiting() > 0);
        return added;
    }

    private void sendHello(Session session) {
        session.sendDtls(HELLO, 0, HELLO.length);
        rig.run();
    }

    @Test
    void sendsNoMoreOfAHandshakeToAnAddressThatAnotherCallHasTaken() {
        Session left = begin(rig.client("actpass", PLACE));
        Peer next = rig.client("actpass", PLACE);
        Session taker = begin(next);

        int waiting = next.dtlsWaiting();
        sendHello(left);
        assertThat(next.dtlsWaiting()).isEqualTo(waiting);
        assertThat(rig.counters()).containsEntry("dtls_unsent", 1L);
        sendHello(taker);
        assertThat(next.dtlsWaiting()).isEqualTo(waiting + 1);
    }

    @Test
    void goesOnWithTheHandshakeAfterAnotherCheckOfItsOwn() {
        Peer first = rig.client("actpass", PLACE);
        Session session = begin(first);
        Peer second = rig.client("actpass", PLACE);
        begin(second);

        first.consent(rig.now());
        rig.run();
        int waiting = second.dtlsWaiting();
        // The rig gives DTLS to the client made last.
        sendHello(session);
        assertThat(second.dtlsWaiting()).isEqualTo(waiting + 1);
    }

    @Test
    void connectsACallWhoseAddressWasLeftInTheMiddleOfAHandshake() {
        rig.close();
        rig = rig(SOON_MILLIS);
        begin(rig.client("actpass", PLACE));
        Peer next = rig.client("actpass", PLACE);
        rig.create(next);
        next.check(rig.now());
        // The call that was left sends its hello again, in vain.
        rig.pump(() -> rig.counters().containsKey("dtls_unsent"));
        // What it sent before the check is not the fault in question.
        next.forgetDtls();
        next.startDtls();
        rig.pump(next::dtlsDone);
        assertThat(next.dtlsOutcome()).isInstanceOf(DtlsOutcome.Connected.class);
    }

    @Test
    void hearsTheHangUpOfACallWhileAnotherShakesHandsAtItsAddress() {
        Peer first = rig.client("actpass", PLACE);
        rig.connect(first);
        known.addAll(rig.loop().table().all());
        Session second = begin(rig.client("actpass", PLACE));

        first.closeDtls();
        rig.pump(() -> rig.calls().count() == 1);
        assertThat(rig.loop().table().all()).containsExactly(second);
    }

    @Test
    void keepsNoPlaceForASilentHandshakeBecauseOfWhatAnotherCallSends() {
        Peer first = rig.client("actpass", PLACE);
        rig.connect(first);
        known.addAll(rig.loop().table().all());
        begin(rig.client("actpass", PLACE));
        assertThat(rig.loop().counters().handshakes.get()).isOne();

        for (int i = 0; i < 10; i++) {
            first.sendData((byte) 1);
            rig.advance(50);
        }
        assertThat(rig.counters()).containsEntry("dtls_data", 10L);
        assertThat(rig.loop().counters().handshakes.get()).isZero();
    }

    @Test
    void refusesNothingThatIsForAnotherCallAtTheAddress() {
        Peer first = rig.client("actpass", PLACE);
        rig.connect(first);
        rig.connect(rig.client("actpass", PLACE));

        first.closeDtls();
        rig.pump(() -> rig.calls().count() == 1);
        assertThat(rig.counters()).doesNotContainKey("dtls_refused");
    }

    @Test
    void keepsSpeakingOnlyToAClientThatIsStillHeardThere() {
        Peer first = rig.client("actpass", PLACE);
        rig.connect(first);
        first.consent(rig.now());
        rig.run();
        Wire wire = new Wire();
        rig.useNetwork(wire);
        Peer second = rig.client("actpass", PLACE);
        rig.create(second);
        second.check(rig.now());
        rig.run();

        // Whoever forges an address must not silence who lives there.
        rig.advance(7_500);
        assertThat(wire.mediaIn(rig, 400)).isBetween(19, 21);
        rig.advance(500);
        assertThat(wire.mediaIn(rig, 400)).isZero();
        first.consent(rig.now());
        assertThat(wire.mediaIn(rig, 400)).isBetween(19, 21);
        rig.advance(10_000);
        assertThat(wire.mediaIn(rig, 400)).isBetween(19, 21);
    }

    @Test
    void leavesAnAddressThatManyCallsHaveToThoseThatAreHeardThere() {
        rig.close();
        rig =
                new Rig(
                        new FakeVoiceAgent(FakeVoiceAgent.opus(), false),
                        Rig.LIMITS,
                        600_000,
                        10,
                        1_000_000_000_000L,
                        NEVER_MILLIS);
        Peer heard = rig.client("actpass", PLACE);
        rig.connect(heard);
        rig.useNetwork(new Wire());
        int sequence = 0;
        for (int calls = 2; calls < 10; calls++) {
            Peer other = rig.client("actpass", PLACE);
            rig.create(other);
            // Whoever lives there does not stop sending.
            heard.sendOpus(sequence++, sequence * 960, (byte) 0xF8, (byte) 1);
            rig.advance(20);
            other.check(rig.now());
            rig.run();
            assertThat(rig.loop().table().peers())
                    .isEqualTo(Math.min(calls, SessionTable.MAX_SESSIONS_OF_ADDRESS));
        }
        heard.sendOpus(sequence++, sequence * 960, (byte) 0xF8, (byte) 1);
        rig.run();
        assertThat(rig.loop().counters().rtpReceived.get()).isEqualTo(sequence);
        assertThat(rig.counters()).containsEntry("address_crowded", 5L);
        assertThat(rig.loop().table().all()).hasSize(9);
    }

    /** Counts what is sent and delivers nothing. */
    private static final class Wire implements Rig.Network {
        private int media;

        int mediaIn(Rig rig, long millis) {
            int before = media;
            rig.advance(millis);
            return media - before;
        }

        @Override
        public void sent(Address to, byte[] datagram) {
            ByteBuffer bytes = ByteBuffer.wrap(datagram);
            int payload = ClientHeader.LENGTH;
            if (PacketKind.classify(bytes, payload, datagram.length - payload) == PacketKind.RTP) {
                media++;
            }
        }

        @Override
        public void advanceTo(long nowNanos) {}
    }
}
