package dev.parley.relay;

import static dev.parley.relay.RelayRig.CLIENT;
import static dev.parley.relay.RelayRig.OTHER_VIP;
import static dev.parley.relay.RelayRig.TRANSCEIVER;
import static dev.parley.relay.RelayRig.VIP;
import static dev.parley.relay.RelayRig.WILDCARD;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DownwardRoutesTest {
    private static final byte[] MEDIA = Checks.rtp(172);
    private static final byte[] DOWN = RelayRig.headed(CLIENT, VIP, MEDIA);

    private final RelayRig rig = new RelayRig();
    private final byte[] check = Checks.request(Checks.ufrag(1, TRANSCEIVER));

    @AfterEach
    void sendsNothingBackToTransceivers() {
        assertThat(rig.upstream.takeSent()).isEmpty();
    }

    @Test
    void takesTheHeaderOffAndSendsFromThePublicSocket() {
        var _ = rig.up(CLIENT, check);
        rig.down(TRANSCEIVER, DOWN);
        assertSent(rig.vip, MEDIA);
        assertThat(rig.counters.count(Verdict.DOWN_BY_FLOW)).isEqualTo(1);
    }

    @Test
    void keepsAFlowAlive() {
        var _ = rig.up(CLIENT, check);
        for (int i = 0; i < 4; i++) {
            rig.pass(Duration.ofSeconds(20));
            rig.down(TRANSCEIVER, DOWN);
        }
        assertThat(rig.vip.takeSent()).hasSize(4);
    }

    @Test
    void sendsBySocketInOrderWhenPublicAddressesAreMixed() {
        Endpoint six = Endpoint.of("2001:db8:1::2", 50_000);
        rig.vip.arrive(CLIENT, check);
        rig.otherVip.arrive(six, check);
        var _ = rig.run();
        var _ = rig.upstream.takeSent();
        rig.upstream.arrive(TRANSCEIVER, RelayRig.headed(CLIENT, VIP, Checks.rtp(20)));
        rig.upstream.arrive(TRANSCEIVER, RelayRig.headed(six, OTHER_VIP, Checks.rtp(21)));
        rig.upstream.arrive(TRANSCEIVER, RelayRig.headed(six, OTHER_VIP, Checks.rtp(22)));
        rig.upstream.arrive(TRANSCEIVER, RelayRig.headed(CLIENT, VIP, Checks.rtp(23)));
        var _ = rig.run();
        assertThat(rig.vip.takeSent()).extracting(d -> d.bytes().length).containsExactly(20, 23);
        List<FakePort.Datagram> toSix = rig.otherVip.takeSent();
        assertThat(toSix).extracting(d -> d.bytes().length).containsExactly(21, 22);
        assertThat(toSix.getFirst().peer()).isEqualTo(six);
    }

    @Test
    void repliesLeaveFromTheAddressThatTheClientUsed() {
        Endpoint used = Endpoint.of("192.0.2.1", WILDCARD.port());
        rig.wildcard.arriveAt(used, CLIENT, check);
        var _ = rig.run();
        var _ = rig.upstream.takeSent();
        rig.down(TRANSCEIVER, RelayRig.headed(CLIENT, used, MEDIA));
        List<FakePort.Datagram> sent = rig.wildcard.takeSent();
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().local()).isEqualTo(new Endpoint(used.high(), used.low(), 0));
    }

    @Test
    void dropsWhatDoesNotComeFromATransceiver() {
        var _ = rig.up(CLIENT, check);
        assertDropped(Endpoint.of("192.0.2.1", 5000), DOWN, Verdict.DOWN_OUTSIDE_RANGES);
        assertDropped(TRANSCEIVER, MEDIA, Verdict.DOWN_BAD_HEADER);
        assertDropped(TRANSCEIVER, new byte[0], Verdict.DOWN_BAD_HEADER);
        assertDropped(TRANSCEIVER, new byte[37], Verdict.DOWN_BAD_HEADER);
        assertDropped(TRANSCEIVER, RelayRig.headed(CLIENT, VIP, new byte[0]), Verdict.DOWN_EMPTY);
        assertDropped(
                TRANSCEIVER,
                RelayRig.headed(CLIENT, Endpoint.of("203.0.113.99", 3478), MEDIA),
                Verdict.DOWN_UNKNOWN_PUBLIC_ADDRESS);
        assertDropped(
                TRANSCEIVER,
                RelayRig.headed(CLIENT, Endpoint.of("203.0.113.10", 3479), MEDIA),
                Verdict.DOWN_UNKNOWN_PUBLIC_ADDRESS);
    }

    @Test
    void aTransceiverReachesOnlyItsOwnClients() {
        var _ = rig.up(CLIENT, check);
        assertDropped(Endpoint.of("10.9.9.9", 5000), DOWN, Verdict.DOWN_OTHER_TRANSCEIVER);
        assertDropped(Endpoint.of("10.1.2.3", 5001), DOWN, Verdict.DOWN_OTHER_TRANSCEIVER);
    }

    @Test
    void aRestartedRelayTakesFlowsUpAgainOnATransceiversWord() {
        rig.down(TRANSCEIVER, DOWN);
        assertSent(rig.vip, MEDIA);
        assertThat(rig.counters.count(Verdict.DOWN_RECOVERED)).isEqualTo(1);
        assertThat(rig.up(CLIENT, MEDIA)).hasSize(1);
        assertThat(rig.up(CLIENT, check)).hasSize(1);
        assertThat(rig.counters.count(Verdict.UP_SHOWN_FLOW)).isEqualTo(1);
        assertDropped(Endpoint.of("10.9.9.9", 5000), DOWN, Verdict.DOWN_OTHER_TRANSCEIVER);
    }

    @Test
    void takesFlowsUpAgainAtABoundedRate() {
        for (int i = 0; i < RelayRig.RECOVERIES_PER_SECOND; i++) {
            rig.down(TRANSCEIVER, RelayRig.headed(Endpoint.of("192.0.2.3", 7 + i), VIP, MEDIA));
        }
        assertThat(rig.vip.takeSent()).hasSize(RelayRig.RECOVERIES_PER_SECOND);
        assertDropped(TRANSCEIVER, DOWN, Verdict.DOWN_RECOVERY_LIMITED);
        rig.pass(Duration.ofSeconds(1));
        rig.down(TRANSCEIVER, DOWN);
        assertSent(rig.vip, MEDIA);
    }

    @Test
    void takesNoFlowsUpOneFlowTimeoutAfterTheStart() {
        rig.pass(Duration.ofNanos(RelayRig.TIMEOUT_NANOS));
        assertDropped(TRANSCEIVER, DOWN, Verdict.DOWN_WITHOUT_FLOW);
    }

    @Test
    void aFullTableTakesNoFlowsUp() {
        for (int i = 0; i < RelayRig.MAX_FLOWS; i++) {
            byte[] own = Checks.request(Checks.ufrag(100 + i, TRANSCEIVER));
            var _ = rig.up(Endpoint.of("198.51.100.9", 1000 + i), own);
        }
        assertDropped(TRANSCEIVER, DOWN, Verdict.DOWN_TABLE_FULL);
    }

    @Test
    void whatTheSendBufferDoesNotTakeIsCounted() {
        var _ = rig.up(CLIENT, check);
        rig.vip.room(1);
        rig.upstream.arrive(TRANSCEIVER, DOWN);
        rig.upstream.arrive(TRANSCEIVER, DOWN);
        var _ = rig.run();
        assertThat(rig.vip.takeSent()).hasSize(1);
        assertThat(rig.counters.count(Verdict.DOWN_UNSENT)).isEqualTo(1);
    }

    private void assertDropped(Endpoint from, byte[] bytes, Verdict verdict) {
        long before = rig.counters.count(verdict);
        rig.down(from, bytes);
        assertThat(rig.vip.takeSent()).isEmpty();
        assertThat(rig.otherVip.takeSent()).isEmpty();
        assertThat(rig.counters.count(verdict)).as("%s", verdict).isEqualTo(before + 1);
    }

    private static void assertSent(FakePort port, byte[] payload) {
        List<FakePort.Datagram> sent = port.takeSent();
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().peer()).isEqualTo(CLIENT);
        assertThat(sent.getFirst().bytes()).isEqualTo(payload);
        assertThat(sent.getFirst().local()).isEqualTo(FakePort.UNTOLD);
    }
}
