package dev.parley.relay;

import static dev.parley.relay.RelayRig.CLIENT;
import static dev.parley.relay.RelayRig.TRANSCEIVER;
import static dev.parley.relay.TwoClusters.HOME;
import static dev.parley.relay.TwoClusters.HOME_LEG;
import static dev.parley.relay.TwoClusters.HOME_OTHER_WAY;
import static dev.parley.relay.TwoClusters.HOME_VIP;
import static dev.parley.relay.TwoClusters.INGRESS;
import static dev.parley.relay.TwoClusters.INGRESS_LEG;
import static dev.parley.relay.TwoClusters.INGRESS_VIP;
import static dev.parley.relay.TwoClusters.SECOND_LEG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.relay.store.StoredRoute;
import dev.parley.rtc.route.LegPacket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls that cross from one cluster to another. */
class LegsTest {
    private static final byte[] MEDIA = Checks.rtp(172);
    private static final byte[] DOWN = RelayRig.headed(CLIENT, INGRESS_VIP, MEDIA);

    private final TwoClusters fleet = new TwoClusters();
    private final byte[] check = Checks.request(Checks.ufrag(1, HOME, TRANSCEIVER));

    private void client(byte[] bytes) {
        fleet.ingress.vip.arrive(CLIENT, bytes);
        fleet.settle();
    }

    private void transceiver(RelayRig relay, byte[] bytes) {
        relay.upstream.arrive(TRANSCEIVER, bytes);
        fleet.settle();
    }

    private void assertUp(RelayRig relay, byte[] payload) {
        List<FakePort.Datagram> sent = relay.upstream.takeSent();
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().peer()).isEqualTo(TRANSCEIVER);
        assertThat(sent.getFirst().bytes())
                .isEqualTo(RelayRig.headed(CLIENT, INGRESS_VIP, payload));
    }

    private void assertDown(byte[] payload) {
        List<FakePort.Datagram> sent = fleet.ingress.vip.takeSent();
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().peer()).isEqualTo(CLIENT);
        assertThat(sent.getFirst().bytes()).isEqualTo(payload);
        assertThat(fleet.home.vip.takeSent()).isEmpty();
        assertThat(fleet.second.vip.takeSent()).isEmpty();
    }

    private static void assertCount(RelayRig rig, Verdict verdict, long count) {
        assertThat(rig.counters.count(verdict)).as("%s", verdict).isEqualTo(count);
    }

    @Test
    void aCallGoesThroughBothRelaysAndBack() {
        client(check);
        assertUp(fleet.home, check);
        client(MEDIA);
        assertUp(fleet.home, MEDIA);
        transceiver(fleet.home, DOWN);
        assertDown(MEDIA);
        assertCount(fleet.ingress, Verdict.UP_NEW_FLOW, 1);
        assertCount(fleet.ingress, Verdict.UP_BY_LEG, 1);
        assertCount(fleet.ingress, Verdict.LEG_DOWN, 1);
        assertCount(fleet.home, Verdict.LEG_UP, 2);
        assertCount(fleet.home, Verdict.DOWN_BY_LEG, 1);
        assertThat(fleet.ingress.upstream.takeSent()).isEmpty();
    }

    @Test
    void aRestartedIngressTakesCallsUpOnTheHomeRelaysWord() {
        client(check);
        fleet.ingress = fleet.start(INGRESS, INGRESS_VIP);
        transceiver(fleet.home, DOWN);
        assertDown(MEDIA);
        assertCount(fleet.ingress, Verdict.DOWN_RECOVERED, 1);
        var _ = fleet.home.upstream.takeSent();
        client(MEDIA);
        assertUp(fleet.home, MEDIA);
        transceiver(fleet.home, DOWN);
        assertDown(MEDIA);
    }

    @Test
    void aRestartedHomeRelayNeedsNothingButTheNextPacketUp() {
        client(check);
        fleet.home = fleet.start(HOME, HOME_VIP);
        client(MEDIA);
        assertUp(fleet.home, MEDIA);
        transceiver(fleet.home, DOWN);
        assertDown(MEDIA);
    }

    @Test
    void aRestartedHomeRelayFindsTheIngressOnTheMap() {
        client(check);
        fleet.home = fleet.start(HOME, HOME_VIP);
        transceiver(fleet.home, DOWN);
        assertDown(MEDIA);
        assertCount(fleet.home, Verdict.DOWN_BY_MAP, 1);
        fleet.home.pass(Duration.ofNanos(RelayRig.TIMEOUT_NANOS).plusSeconds(1));
        transceiver(fleet.home, DOWN);
        assertThat(fleet.ingress.vip.takeSent()).isEmpty();
        assertCount(fleet.home, Verdict.DOWN_WITHOUT_FLOW, 1);
    }

    @Test
    void theStoreTellsAnotherIngressWhereToGo() {
        fleet.ingress.store.available(true);
        client(check);
        StoredRoute route = fleet.ingress.store.takeChanges().getFirst().route();
        assertThat(route.clusterId()).isEqualTo(HOME);
        var _ = fleet.home.upstream.takeSent();
        fleet.ingress = fleet.start(INGRESS, INGRESS_VIP);
        fleet.ingress.store.available(true);
        client(MEDIA);
        fleet.ingress.store.answer(route);
        fleet.settle();
        assertUp(fleet.home, MEDIA);
        assertCount(fleet.ingress, Verdict.UP_RECOVERED, 1);
        transceiver(fleet.home, DOWN);
        assertDown(MEDIA);
    }

    @Test
    void aDeadHomeRelayIsReplacedByAnotherOfItsGroup() {
        client(check);
        assertUp(fleet.home, check);
        fleet.cut.addAll(List.of(HOME_LEG, HOME_OTHER_WAY));
        for (int i = 0; i < 20; i++) {
            client(MEDIA);
            fleet.pass(Duration.ofMillis(50));
        }
        var _ = fleet.home.upstream.takeSent();
        var _ = fleet.second.upstream.takeSent();
        client(MEDIA);
        assertUp(fleet.second, MEDIA);
        transceiver(fleet.second, DOWN);
        assertDown(MEDIA);
        assertThat(fleet.ingress.legs.lost()).isEqualTo(2);

        fleet.cut.clear();
        fleet.pass(Duration.ofSeconds(2));
        client(MEDIA);
        assertUp(fleet.home, MEDIA);
        assertThat(fleet.ingress.legs.lost()).isZero();
    }

    @Test
    void aWayThatIsCutIsReplacedByAnotherToTheSameRelay() {
        client(check);
        fleet.cut.add(HOME_LEG);
        for (int i = 0; i < 20; i++) {
            client(MEDIA);
            fleet.pass(Duration.ofMillis(50));
        }
        var _ = fleet.home.upstream.takeSent();
        client(MEDIA);
        assertUp(fleet.home, MEDIA);
        assertThat(fleet.seen.getLast().local()).isEqualTo(HOME_OTHER_WAY);
    }

    @Test
    void whenNothingAnswersPacketsGoOnToTheFirstChoice() {
        client(check);
        fleet.cut.addAll(List.of(HOME_LEG, HOME_OTHER_WAY, SECOND_LEG));
        for (int i = 0; i < 140; i++) {
            client(MEDIA);
            fleet.pass(Duration.ofMillis(50));
        }
        fleet.cut.remove(HOME_LEG);
        var _ = fleet.home.upstream.takeSent();
        client(MEDIA);
        assertUp(fleet.home, MEDIA);
    }

    @Test
    void repeatedPacketsAreDropped() {
        client(check);
        client(MEDIA);
        transceiver(fleet.home, DOWN);
        var _ = fleet.home.upstream.takeSent();
        var _ = fleet.ingress.vip.takeSent();
        List<FakePort.Datagram> recorded = List.copyOf(fleet.seen);
        for (FakePort.Datagram one : recorded) {
            RelayRig to = one.local().equals(INGRESS_LEG) ? fleet.ingress : fleet.home;
            if (!one.local().equals(SECOND_LEG)) {
                to.leg.arrive(Endpoint.of("192.0.2.66", 9), one.bytes());
            }
        }
        fleet.settle();
        assertThat(fleet.home.upstream.takeSent()).isEmpty();
        assertThat(fleet.ingress.vip.takeSent()).isEmpty();
        assertThat(fleet.home.counters.count(Verdict.LEG_REPLAYED)).isGreaterThanOrEqualTo(3);
        assertThat(fleet.ingress.counters.count(Verdict.LEG_REPLAYED)).isGreaterThanOrEqualTo(2);

        // And whoever repeats them has not drawn the way back to itself.
        transceiver(fleet.home, DOWN);
        assertDown(MEDIA);
    }

    @Test
    void oldPacketsAreDroppedByARelayThatHasForgotten() {
        client(check);
        byte[] recorded = lastTo(HOME_LEG);
        fleet.home = fleet.start(HOME, HOME_VIP);
        fleet.home.now += Duration.ofSeconds(TwoClusters.TOLERANCE_SECONDS + 2).toNanos();
        fleet.home.leg.arrive(INGRESS_LEG, recorded);
        var _ = fleet.home.run();
        assertThat(fleet.home.upstream.takeSent()).isEmpty();
        assertCount(fleet.home, Verdict.LEG_STALE, 1);
    }

    private byte[] lastTo(Endpoint leg) {
        return fleet.seen.stream()
                .filter(
                        one ->
                                one.local().equals(leg)
                                        && one.bytes().length > LegPacket.PROBE_LENGTH)
                .reduce((_, last) -> last)
                .orElseThrow()
                .bytes();
    }

    @Test
    void forgedPacketsAreDropped() {
        client(check);
        byte[] genuine = lastTo(HOME_LEG);
        var _ = fleet.home.upstream.takeSent();
        for (int at = 0; at < genuine.length; at++) {
            byte[] forged = genuine.clone();
            forged[at] ^= 1;
            fleet.home.leg.arrive(INGRESS_LEG, forged);
        }
        fleet.home.leg.arrive(INGRESS_LEG, new byte[0]);
        fleet.home.leg.arrive(INGRESS_LEG, MEDIA);
        fleet.home.leg.arrive(INGRESS_LEG, DOWN);
        while (fleet.home.run() > 0) {
            // Until all of it is looked at.
        }
        assertThat(fleet.home.upstream.takeSent()).isEmpty();
        assertThat(fleet.home.counters.count(Verdict.LEG_FORGED))
                .isGreaterThan(genuine.length - 5L);
        assertThat(fleet.home.counters.count(Verdict.LEG_MALFORMED)).isGreaterThanOrEqualTo(4);
        assertThat(fleet.home.counters.count(Verdict.LEG_UNKNOWN_KEY)).isEqualTo(1);
    }

    @Test
    void packetsForOthersOrSentBackAreDropped() {
        client(check);
        byte[] toHome = lastTo(HOME_LEG);
        fleet.ingress.leg.arrive(HOME_LEG, toHome);
        RelayRig third = fleet.start(3, Endpoint.of("203.0.113.30", 3478));
        third.leg.arrive(INGRESS_LEG, toHome);
        var _ = third.run();
        fleet.settle();
        assertCount(fleet.ingress, Verdict.LEG_OTHER_CLUSTER, 1);
        assertCount(third, Verdict.LEG_OTHER_CLUSTER, 1);
        assertThat(third.upstream.takeSent()).isEmpty();
    }

    @Test
    void aTransceiverCannotReachClientsOfAnother() {
        client(check);
        fleet.home.upstream.arrive(Endpoint.of("10.9.9.9", 5000), DOWN);
        fleet.settle();
        assertThat(fleet.ingress.vip.takeSent()).isEmpty();
        assertCount(fleet.home, Verdict.DOWN_OTHER_TRANSCEIVER, 1);
        // Nor can one of the ingress' own cluster.
        fleet.ingress.upstream.arrive(TRANSCEIVER, DOWN);
        fleet.settle();
        assertThat(fleet.ingress.vip.takeSent()).isEmpty();
        assertCount(fleet.ingress, Verdict.DOWN_OTHER_TRANSCEIVER, 1);
    }

    @Test
    void withAnAddressThatBothServeTheWayBackIsTheLastOneIn() {
        fleet.home = fleet.start(HOME, INGRESS_VIP);
        client(check);
        assertUp(fleet.home, check);
        transceiver(fleet.home, DOWN);
        assertDown(MEDIA);

        // The network now brings the client to its home.
        fleet.home.vip.arrive(CLIENT, MEDIA);
        fleet.settle();
        assertUp(fleet.home, MEDIA);
        transceiver(fleet.home, DOWN);
        assertThat(fleet.home.vip.takeSent()).hasSize(1);
        assertThat(fleet.ingress.vip.takeSent()).isEmpty();

        client(MEDIA);
        assertUp(fleet.home, MEDIA);
        transceiver(fleet.home, DOWN);
        assertDown(MEDIA);
    }

    private void tellIngress(String home) {
        String map = TwoClusters.MAP.replace("name: home,", home);
        TwoClusters.tell(fleet.ingress.legs, map, INGRESS, INGRESS_LEG);
    }

    @Test
    void aClusterThatIsDownGetsNothingAndOneThatTheMapLacksNeither() {
        tellIngress("name: home, state: down,");
        fleet.pass(Duration.ofMillis(50));
        client(check);
        assertCount(fleet.ingress, Verdict.TOKEN_CLUSTER_DOWN, 1);
        client(Checks.request(Checks.ufrag(1, 9, TRANSCEIVER)));
        assertCount(fleet.ingress, Verdict.TOKEN_OTHER_CLUSTER, 1);
        assertThat(fleet.home.upstream.takeSent()).isEmpty();
    }

    @Test
    void aDrainingClusterKeepsItsCalls() {
        client(check);
        tellIngress("name: home, state: draining,");
        fleet.pass(Duration.ofMillis(50));
        var _ = fleet.home.upstream.takeSent();
        client(MEDIA);
        assertUp(fleet.home, MEDIA);
    }

    @Test
    void handedOverFlowsStillLeadToTheOtherCluster() {
        client(check);
        var exported = fleet.ingress.exportFlows();
        fleet.ingress = fleet.start(INGRESS, INGRESS_VIP);
        assertThat(fleet.ingress.importFlows(exported)).isEqualTo(1);
        var _ = fleet.home.upstream.takeSent();
        client(MEDIA);
        assertUp(fleet.home, MEDIA);
        transceiver(fleet.home, DOWN);
        assertDown(MEDIA);
        assertCount(fleet.ingress, Verdict.LEG_DOWN, 1);
    }

    @Test
    void handedOverFlowsStillLeadBackToTheirIngress() {
        client(check);
        byte[] recorded = lastTo(HOME_LEG);
        var exported = fleet.home.exportFlows();
        fleet.home = fleet.start(HOME, HOME_VIP);
        assertThat(fleet.home.importFlows(exported)).isEqualTo(1);
        fleet.home.pass(Duration.ofNanos(RelayRig.TIMEOUT_NANOS).minusSeconds(1));
        transceiver(fleet.home, DOWN);
        assertDown(MEDIA);
        assertCount(fleet.home, Verdict.DOWN_BY_LEG, 1);
        fleet.home.leg.arrive(INGRESS_LEG, recorded);
        fleet.settle();
        assertCount(fleet.home, Verdict.LEG_REPLAYED, 1);
    }
}
