package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Application data through a call's DTLS, in both roles. */
class DtlsDataTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);
    private static final int RECORD_OVERHEAD = 37;

    private final Rig rig = Rig.withOpus();

    @AfterEach
    void close() {
        rig.close();
    }

    private Session connect(Peer peer) {
        rig.connect(peer);
        return rig.loop().table().all().getFirst();
    }

    private long count(String drop) {
        return rig.counters().getOrDefault(drop, 0L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void sendsWhatFitsADatagram(String setup) throws Exception {
        Peer peer = rig.client(setup, PLACE);
        Session session = connect(peer);
        byte[] data = new byte[DatagramLink.MTU - RECORD_OVERHEAD];
        data[0] = 7;
        assertThat(session.sendData(data, 0, data.length)).isTrue();
        rig.run();
        assertThat(peer.data().take()).isEqualTo(data);
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void countsDataOfACallWithoutADataChannel(String setup) {
        Peer peer = rig.client(setup, PLACE);
        connect(peer);
        peer.sendData((byte) 1, (byte) 2);
        rig.pump(() -> rig.counters().containsKey("dtls_data"));
        assertThat(rig.counters()).containsEntry("dtls_data", 1L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void answersThroughTheRelayThatDeliveredDataLast(String setup) throws Exception {
        Peer peer = rig.client(setup, PLACE);
        Session session = connect(peer);
        // From now on the rig fails if anything goes to the first relay.
        rig.useRelay(Rig.OTHER_RELAY);
        peer.sendData((byte) 1);
        rig.pump(() -> count("dtls_data") == 1);
        assertThat(session.sendData(new byte[] {2}, 0, 1)).isTrue();
        rig.advance(100);
        assertThat(peer.data().take()).containsExactly(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void goesOnWhereSomebodyElseForgesTheAddress(String setup) throws Exception {
        Peer peer = rig.client(setup, PLACE);
        Session session = connect(peer);
        peer.sendData((byte) 1);
        rig.pump(() -> count("dtls_data") == 1);
        session.ice().contest(session.ice().path(0));
        assertThat(session.sendData(new byte[] {2}, 0, 1)).isTrue();
        rig.run();
        assertThat(peer.data().take()).containsExactly(2);
        rig.advance(9_000);
        assertThat(session.ice().claimPath(1, rig.now())).isNull();
        peer.sendData((byte) 1);
        rig.pump(() -> count("dtls_data") == 2);
        assertThat(session.ice().claimPath(1, rig.now())).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void countsRecordsThatNoKeyHasMadeAndGoesOn(String setup) throws Exception {
        Peer peer = rig.client(setup, PLACE);
        Session session = connect(peer);
        long before = count("dtls_refused");
        // RFC 5246 7.2: a fatal alert in the clear, and application data of noise.
        byte[] alert = {21, -2, -3, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 2, 40};
        byte[] noise = new byte[13 + 40];
        new Random(1).nextBytes(noise);
        System.arraycopy(new byte[] {23, -2, -3, 0, 1, 0, 0, 0, 0, 0, 9, 0, 40}, 0, noise, 0, 13);
        for (byte[] record : List.of(alert, noise)) {
            assertThat(
                            session.receiveDtls(
                                    session.ice().path(0),
                                    ByteBuffer.wrap(record),
                                    0,
                                    record.length,
                                    rig.now()))
                    .isFalse();
        }
        assertThat(session.sendData(new byte[] {2}, 0, 1)).isTrue();
        rig.run();
        assertThat(peer.data().take()).containsExactly(2);
        assertThat(count("dtls_refused")).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void readsAllOfABurstInTheTurnsThatReceiveIt(String setup) {
        Peer peer = rig.client(setup, PLACE);
        connect(peer);
        int taken = rig.taken();
        for (int i = 0; i < 1_000; i++) {
            peer.sendData((byte) i);
        }
        // No other thread has a part in it, so there is nothing to wait for.
        while (rig.taken() < taken + 1_000) {
            var _ = rig.loop().runOnce(rig.now());
        }
        assertThat(count("dtls_data")).isEqualTo(1_000);
        assertThat(count("dtls_refused")).isZero();
        assertThat(rig.calls().count()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void saysGoodbyeInTheTurnThatEndsTheCall(String setup) {
        Peer peer = rig.client(setup, PLACE);
        connect(peer);
        var _ = rig.loop().endAll(EndReason.SHUTDOWN, "stop");
        // One turn: a loop that stops has no other.
        var _ = rig.loop().runOnce(rig.now());
        assertThat(peer.closedByServer()).succeedsWithin(Duration.ofSeconds(20));
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void refusesToSendOnceTheCallIsOver(String setup) {
        Peer peer = rig.client(setup, PLACE);
        Session session = connect(peer);
        var _ = rig.loop().endAll(EndReason.SHUTDOWN, "stop");
        rig.run();
        assertThat(session.sendData(new byte[1], 0, 1)).isFalse();
    }
}
