package dev.parley.relay;

import static dev.parley.relay.RelayRig.CLIENT;
import static dev.parley.relay.RelayRig.TRANSCEIVER;
import static dev.parley.relay.TwoClusters.HOME;
import static dev.parley.relay.TwoClusters.HOME_LEG;
import static dev.parley.relay.TwoClusters.HOME_VIP;
import static dev.parley.relay.TwoClusters.INGRESS;
import static dev.parley.relay.TwoClusters.INGRESS_LEG;
import static dev.parley.relay.TwoClusters.INGRESS_VIP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.route.LegKind;
import dev.parley.rtc.route.LegPacket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What others, or faulty relays of the fleet, may make a relay do over a leg. */
class LegTrustTest {
    private static final Endpoint ATTACKER = Endpoint.of("192.0.2.66", 9);
    private static final byte[] MEDIA = Checks.rtp(172);
    private static final byte[] UP = RelayRig.headed(CLIENT, INGRESS_VIP, MEDIA);

    private final TwoClusters fleet = new TwoClusters();
    private final byte[] check = Checks.request(Checks.ufrag(1, HOME, TRANSCEIVER));

    private static void assertCount(RelayRig rig, Verdict verdict, long count) {
        assertThat(rig.counters.count(verdict)).as("%s", verdict).isEqualTo(count);
    }

    /** What the ingress sends over its leg for what a client sends to it. */
    private byte[] sentOver(byte[] clients) {
        fleet.ingress.vip.arrive(CLIENT, clients);
        var _ = fleet.ingress.run();
        return fleet.ingress.leg.takeSent().stream()
                .map(FakePort.Datagram::bytes)
                .filter(bytes -> bytes.length > LegPacket.PROBE_LENGTH)
                .findFirst()
                .orElseThrow();
    }

    private void arrive(Endpoint source, byte[] bytes) {
        fleet.home.leg.arrive(source, bytes);
        var _ = fleet.home.run();
    }

    private byte[] forged(LegKind kind, int sender, byte[] carried) {
        return new TwoClusters.Sender(INGRESS_LEG, INGRESS, sender, HOME_LEG)
                .seal(kind, carried, fleet.home.now);
    }

    @Test
    void aPacketIsGoodAtOneRelayAlone() {
        byte[] genuine = sentOver(check);
        fleet.second.leg.arrive(INGRESS_LEG, genuine);
        var _ = fleet.second.run();
        assertCount(fleet.second, Verdict.LEG_OTHER_RELAY, 1);
        assertThat(fleet.second.upstream.takeSent()).isEmpty();
        arrive(INGRESS_LEG, genuine);
        assertThat(fleet.home.upstream.takeSent()).hasSize(1);
    }

    @Test
    void whereAPacketSeemsToComeFromDrawsNothingThere() {
        byte[] genuine = sentOver(check);
        arrive(ATTACKER, genuine);
        assertThat(fleet.home.upstream.takeSent()).as("it is genuine").hasSize(1);
        fleet.home.down(TRANSCEIVER, UP);
        List<FakePort.Datagram> sent = fleet.home.leg.takeSent();
        assertThat(sent).isNotEmpty().allMatch(one -> one.peer().equals(INGRESS_LEG));
        assertCount(fleet.home, Verdict.DOWN_BY_LEG, 1);
    }

    @Test
    void aProbeIsAnsweredWhereTheMapHasItsSender() {
        var _ = fleet.ingress.run();
        List<FakePort.Datagram> asked = fleet.ingress.leg.takeSent();
        var _ = fleet.home.run();
        var _ = fleet.home.leg.takeSent();
        for (FakePort.Datagram one : asked) {
            arrive(ATTACKER, one.bytes());
        }
        assertThat(fleet.home.counters.count(Verdict.LEG_PROBE)).isPositive();
        assertThat(fleet.home.leg.takeSent())
                .isNotEmpty()
                .allMatch(one -> one.peer().equals(INGRESS_LEG));
    }

    @Test
    void aRelayThatTheMapLacksIsAnsweredByTheMapAlone() {
        fleet.ingress = fleet.start(INGRESS, INGRESS_VIP, Endpoint.of("10.1.0.99", 3490));
        byte[] genuine = sentOver(check);
        var _ = fleet.home.run();
        arrive(Endpoint.of("10.1.0.99", 3490), genuine);
        assertThat(fleet.home.upstream.takeSent()).hasSize(1);
        var _ = fleet.home.leg.takeSent();
        fleet.home.pass(Duration.ofNanos(RelayRig.TIMEOUT_NANOS / 2));
        var _ = fleet.home.leg.takeSent();
        fleet.home.down(TRANSCEIVER, UP);
        assertCount(fleet.home, Verdict.DOWN_BY_MAP, 1);
        assertThat(fleet.home.leg.takeSent())
                .anyMatch(
                        one ->
                                one.bytes().length > LegPacket.PROBE_LENGTH
                                        && one.peer().equals(INGRESS_LEG));

        fleet.ingress.pass(Duration.ofSeconds(6));
        for (FakePort.Datagram one : fleet.ingress.leg.takeSent()) {
            arrive(Endpoint.of("10.1.0.99", 3490), one.bytes());
        }
        assertThat(fleet.home.counters.count(Verdict.LEG_UNKNOWN_RELAY)).isPositive();
        assertCount(fleet.home, Verdict.LEG_PROBE, 0);
    }

    @Test
    void whatCameOverALegNeverGoesOverAnother() {
        // Down to a client that comes in by a third relay, as the map says.
        byte[] loop = RelayRig.headed(CLIENT, INGRESS_VIP, MEDIA);
        arrive(INGRESS_LEG, forged(LegKind.DOWN, 5, loop));
        arrive(INGRESS_LEG, forged(LegKind.DOWN_BY_MAP, 6, loop));
        assertCount(fleet.home, Verdict.LEG_LOOP, 2);
        // The same when a flow says so.
        arrive(INGRESS_LEG, forged(LegKind.UP, 7, UP));
        arrive(INGRESS_LEG, forged(LegKind.DOWN, 8, loop));
        assertCount(fleet.home, Verdict.DOWN_OTHER_TRANSCEIVER, 1);
        assertThat(fleet.home.leg.takeSent())
                .noneMatch(sent -> sent.bytes().length > LegPacket.PROBE_LENGTH);
        assertThat(fleet.home.vip.takeSent()).isEmpty();

        // The home relay is told of a transceiver that its own ranges do not have.
        Endpoint stranger = Endpoint.of("192.0.2.1", 5000);
        arrive(INGRESS_LEG, sentOver(Checks.request(Checks.ufrag(1, HOME, stranger))));
        assertCount(fleet.home, Verdict.LEG_OUTSIDE_RANGES, 1);
        assertThat(fleet.home.upstream.takeSent()).hasSize(1);
    }

    @Test
    void oneUfragFromManyAddressesFillsNoTable() {
        for (int client = 0; client < 3 * FlowTable.MAX_ADDRESSES_PER_SESSION; client++) {
            fleet.ingress.vip.arrive(Endpoint.of("198.51.100.7", 40_000 + client), check);
        }
        for (int turn = 0; turn < 8; turn++) {
            fleet.settle();
        }
        assertCount(fleet.home, Verdict.LEG_UP, FlowTable.MAX_ADDRESSES_PER_SESSION);
        assertCount(fleet.home, Verdict.LEG_UP_UNCACHED, 2L * FlowTable.MAX_ADDRESSES_PER_SESSION);
        assertThat(fleet.home.flows.size()).isEqualTo(FlowTable.MAX_ADDRESSES_PER_SESSION);
    }

    @Test
    void aPacketOfOurOwnClusterOrWithoutAClientHeaderIsDropped() {
        TwoClusters.Sender own = new TwoClusters.Sender(HOME_LEG, HOME, 5, HOME_LEG);
        arrive(INGRESS_LEG, own.seal(LegKind.UP, UP, fleet.home.now));
        assertCount(fleet.home, Verdict.LEG_OWN_CLUSTER, 1);
        byte[] headless = UP.clone();
        headless[0] = 0;
        arrive(INGRESS_LEG, forged(LegKind.UP, 6, headless));
        assertCount(fleet.home, Verdict.LEG_BAD_HEADER, 1);
        assertThat(fleet.home.upstream.takeSent()).isEmpty();
    }

    @Test
    void sendersAndPublicAddressesAreBounded() {
        int senders = 200;
        for (int sender = 0; sender < senders; sender++) {
            arrive(INGRESS_LEG, forged(LegKind.UP, 1_000 + sender, UP));
        }
        long refused = fleet.home.counters.count(Verdict.LEG_TOO_MANY_SENDERS);
        assertThat(refused).isEqualTo((long) senders - fleet.home.legs.senders().room());
        assertThat(fleet.home.upstream.takeSent()).hasSize(senders - (int) refused);

        // From one who was let in; each packet needs a sequence number of its own.
        TwoClusters other = new TwoClusters();
        int addresses = PublicAddresses.MAX_FOREIGN + 500;
        TwoClusters.Sender liar = new TwoClusters.Sender(INGRESS_LEG, INGRESS, 5, HOME_LEG);
        for (int i = 0; i < addresses; i++) {
            Endpoint named = Endpoint.of("203.0." + i % 200 + "." + i / 200, 3479);
            other.home.leg.arrive(
                    INGRESS_LEG,
                    liar.seal(LegKind.UP, RelayRig.headed(CLIENT, named, MEDIA), other.home.now));
        }
        while (other.home.run() > 0) {
            var _ = other.home.upstream.takeSent();
        }
        assertThat(other.home.counters.count(Verdict.LEG_TOO_MANY_ADDRESSES))
                .isGreaterThanOrEqualTo(500);
    }

    @Test
    void whatIsTooLongForALegIsDroppedAtItsBeginning() {
        fleet.ingress.vip.arrive(CLIENT, check);
        fleet.settle();
        int longest = RelayWorker.MAX_DATAGRAM_BYTES - Legs.HEADROOM;
        fleet.ingress.vip.arrive(CLIENT, Checks.rtp(longest));
        fleet.settle();
        assertCount(fleet.home, Verdict.LEG_UP, 2);
        fleet.ingress.vip.arrive(CLIENT, Checks.rtp(longest + 1));
        fleet.settle();
        assertCount(fleet.ingress, Verdict.LEG_TOO_LONG, 1);
        assertCount(fleet.home, Verdict.LEG_UP, 2);
    }

    @Test
    void whatALegHasNoRoomForIsCounted() {
        fleet.settle();
        fleet.ingress.leg.room(0);
        fleet.ingress.vip.arrive(CLIENT, check);
        fleet.settle();
        assertCount(fleet.ingress, Verdict.LEG_UNSENT, 1);
        assertCount(fleet.ingress, Verdict.UP_NEW_FLOW, 1);
    }

    @Test
    void anAddressThatAnotherClusterNamesFirstStillServesItsOwnClients() {
        Endpoint anycast = Endpoint.of("203.0.113.77", RelayRig.WILDCARD.port());
        arrive(INGRESS_LEG, forged(LegKind.UP, 5, RelayRig.headed(CLIENT, anycast, MEDIA)));
        assertCount(fleet.home, Verdict.LEG_UP, 1);

        Endpoint own = Endpoint.of("198.51.100.8", 40_000);
        fleet.home.wildcard.arriveAt(anycast, own, check);
        var _ = fleet.home.run();
        fleet.home.down(TRANSCEIVER, RelayRig.headed(own, anycast, MEDIA));
        List<FakePort.Datagram> sent = fleet.home.wildcard.takeSent();
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().peer()).isEqualTo(own);
        assertThat(sent.getFirst().local())
                .isEqualTo(new Endpoint(anycast.high(), anycast.low(), 0));

        // And the one that comes in elsewhere goes on to hear from there.
        var _ = fleet.home.leg.takeSent();
        fleet.home.down(TRANSCEIVER, RelayRig.headed(CLIENT, anycast, MEDIA));
        assertCount(fleet.home, Verdict.DOWN_BY_LEG, 1);
    }

    @Test
    void quietCallersOfARestartedHomeRelayAreHeardByWhicheverWorkerIsAsked() {
        fleet.ingress.vip.arrive(CLIENT, check);
        fleet.settle();
        // Another worker of the ingress, which knows nothing and may long not take flows up itself.
        fleet.ingress = fleet.start(INGRESS, INGRESS_VIP);
        fleet.pass(Duration.ofNanos(RelayRig.TIMEOUT_NANOS).plusSeconds(1));
        fleet.home = fleet.start(HOME, HOME_VIP);
        fleet.home.now = fleet.ingress.now;
        fleet.home.restartRecovery();
        int packets = 3 * RelayRig.RECOVERIES_PER_SECOND;
        for (int i = 0; i < packets; i++) {
            fleet.home.upstream.arrive(TRANSCEIVER, UP);
        }
        fleet.settle();
        assertThat(fleet.ingress.vip.takeSent()).hasSize(packets);
        assertCount(fleet.home, Verdict.DOWN_BY_MAP, packets);
        assertCount(fleet.ingress, Verdict.DOWN_RECOVERED, 1);
    }

    @Test
    void aRelaysWordIsTakenOnlyWhereItSaysThatItDoesNotKnow() {
        fleet.pass(Duration.ofNanos(RelayRig.TIMEOUT_NANOS).plusSeconds(1));
        arrive(INGRESS_LEG, forged(LegKind.DOWN, 5, RelayRig.headed(CLIENT, HOME_VIP, MEDIA)));
        assertCount(fleet.home, Verdict.DOWN_WITHOUT_FLOW, 1);
        for (int i = 0; i < 2 * RelayRig.RECOVERIES_PER_SECOND; i++) {
            Endpoint client = Endpoint.of("198.51.100.7", 50_000 + i);
            arrive(
                    INGRESS_LEG,
                    forged(LegKind.DOWN_BY_MAP, 10 + i, RelayRig.headed(client, HOME_VIP, MEDIA)));
        }
        assertCount(fleet.home, Verdict.DOWN_RECOVERED, RelayRig.RECOVERIES_PER_SECOND);
        assertCount(fleet.home, Verdict.DOWN_RECOVERY_LIMITED, RelayRig.RECOVERIES_PER_SECOND);
    }
}
