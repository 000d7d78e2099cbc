package dev.parley.relay;

import static dev.parley.relay.RelayRig.CLIENT;
import static dev.parley.relay.RelayRig.OTHER_VIP;
import static dev.parley.relay.RelayRig.TRANSCEIVER;
import static dev.parley.relay.RelayRig.VIP;
import static dev.parley.relay.RelayRig.WILDCARD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.route.RouteKeys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UpwardRoutesTest {
    private static final Endpoint OTHER_TRANSCEIVER = Endpoint.of("fd00::5", 5001);
    private static final byte[] MEDIA = Checks.rtp(172);

    private final RelayRig rig = new RelayRig();
    private final byte[] check = Checks.request(Checks.ufrag(1, TRANSCEIVER));

    @AfterEach
    void neverAnswersAClient() {
        assertThat(rig.vip.takeSent()).isEmpty();
        assertThat(rig.otherVip.takeSent()).isEmpty();
        assertThat(rig.wildcard.takeSent()).isEmpty();
    }

    @Test
    void aCheckMakesAFlowThatMediaFollows() {
        assertForwarded(rig.up(CLIENT, check), TRANSCEIVER, CLIENT, VIP, check);
        assertForwarded(rig.up(CLIENT, MEDIA), TRANSCEIVER, CLIENT, VIP, MEDIA);
        assertForwarded(rig.up(CLIENT, check), TRANSCEIVER, CLIENT, VIP, check);
        assertThat(rig.counters.count(Verdict.UP_NEW_FLOW)).isEqualTo(1);
        assertThat(rig.counters.count(Verdict.UP_BY_FLOW)).isEqualTo(2);
    }

    @Test
    void carriesIpv6ClientsAndTransceivers() {
        Endpoint client = Endpoint.of("2001:db8:1::2", 50_000);
        byte[] check = Checks.request(Checks.ufrag(1, OTHER_TRANSCEIVER));
        rig.otherVip.arrive(client, check);
        rig.otherVip.arrive(client, MEDIA);
        assertThat(rig.run()).isEqualTo(2);
        List<FakePort.Datagram> sent = rig.upstream.takeSent();
        assertThat(sent).hasSize(2);
        assertThat(sent.get(1).peer()).isEqualTo(OTHER_TRANSCEIVER);
        assertThat(sent.get(1).bytes()).isEqualTo(RelayRig.headed(client, OTHER_VIP, MEDIA));
    }

    @Test
    void aMappedAddressIsTheIpv4Address() {
        var _ = rig.up(CLIENT, check);
        Endpoint mapped = Endpoint.of("::ffff:198.51.100.7", CLIENT.port());
        assertForwarded(rig.up(mapped, MEDIA), TRANSCEIVER, CLIENT, VIP, MEDIA);
    }

    @Test
    void aCheckWithAnotherUfragMovesTheFlow() {
        var _ = rig.up(CLIENT, check);
        byte[] restart = Checks.request(Checks.ufrag(2, OTHER_TRANSCEIVER));
        assertForwarded(rig.up(CLIENT, restart), OTHER_TRANSCEIVER, CLIENT, VIP, restart);
        assertForwarded(rig.up(CLIENT, MEDIA), OTHER_TRANSCEIVER, CLIENT, VIP, MEDIA);
        assertThat(rig.counters.count(Verdict.UP_MOVED_FLOW)).isEqualTo(1);
        assertThat(rig.flows.size()).isEqualTo(1);
    }

    @Test
    void aCheckThatFailsLeavesTheFlowAlone() {
        var _ = rig.up(CLIENT, check);
        assertDropped(Checks.request(forged()), Verdict.TOKEN_FORGED);
        assertForwarded(rig.up(CLIENT, MEDIA), TRANSCEIVER, CLIENT, VIP, MEDIA);
    }

    @Test
    void newKeysOpenNewTokensAndLeaveFlowsAlone() {
        var _ = rig.up(CLIENT, check);
        rig.useKeys(RouteKeys.of(Map.of(Checks.KEY_ID + 1, Checks.KEY)));
        assertForwarded(rig.up(CLIENT, check), TRANSCEIVER, CLIENT, VIP, check);
        assertDropped(Checks.request(Checks.ufrag(2, TRANSCEIVER)), Verdict.TOKEN_UNKNOWN_KEY);
        rig.useKeys(Checks.KEYS);
        byte[] restart = Checks.request(Checks.ufrag(2, TRANSCEIVER));
        assertForwarded(rig.up(CLIENT, restart), TRANSCEIVER, CLIENT, VIP, restart);
    }

    @Test
    void otherStunFollowsTheFlow() {
        assertDropped(Checks.indication(), Verdict.STUN_WITHOUT_FLOW);
        var _ = rig.up(CLIENT, check);
        byte[] indication = Checks.indication();
        assertForwarded(rig.up(CLIENT, indication), TRANSCEIVER, CLIENT, VIP, indication);
    }

    @Test
    void onePublicAddressKnowsNothingOfAnother() {
        var _ = rig.up(CLIENT, check);
        rig.otherVip.arrive(CLIENT, MEDIA);
        var _ = rig.run();
        assertThat(rig.upstream.takeSent()).isEmpty();
        assertThat(rig.counters.count(Verdict.MEDIA_WITHOUT_FLOW)).isEqualTo(1);
    }

    @Test
    void aWildcardSocketNamesTheAddressThatTheClientUsed() {
        Endpoint first = Endpoint.of("192.0.2.1", WILDCARD.port());
        Endpoint second = Endpoint.of("192.0.2.2", WILDCARD.port());
        rig.wildcard.arriveAt(first, CLIENT, check);
        rig.wildcard.arriveAt(second, CLIENT, check);
        rig.wildcard.arrive(CLIENT, check);
        var _ = rig.run();
        List<FakePort.Datagram> sent = rig.upstream.takeSent();
        assertThat(sent.get(0).bytes()).isEqualTo(RelayRig.headed(CLIENT, first, check));
        assertThat(sent.get(1).bytes()).isEqualTo(RelayRig.headed(CLIENT, second, check));
        assertThat(sent.get(2).bytes()).isEqualTo(RelayRig.headed(CLIENT, WILDCARD, check));
        assertThat(rig.flows.size()).isEqualTo(3);
    }

    @Test
    void dropsWhatIsNotOfOurProtocols() {
        var _ = rig.up(CLIENT, check);
        assertDropped(new byte[0], Verdict.UP_UNKNOWN_KIND);
        assertDropped(new byte[] {64, 0, 0, 4, 1, 2, 3, 4}, Verdict.UP_UNKNOWN_KIND);
        assertDropped(RelayRig.headed(CLIENT, VIP, MEDIA), Verdict.UP_CLIENT_HEADER);
        byte[] cut = Checks.request(Checks.ufrag(1, TRANSCEIVER));
        cut[3] = (byte) (cut[3] + 4);
        assertDropped(cut, Verdict.STUN_MALFORMED);
    }

    @Test
    void dropsMediaOfStrangers() {
        assertDropped(MEDIA, Verdict.MEDIA_WITHOUT_FLOW);
    }

    @Test
    void dropsChecksWhoseTokenDoesNotOpenByReason() {
        String good = Checks.ufrag(1, TRANSCEIVER);
        assertDropped(Checks.withUsername("nocolon"), Verdict.STUN_WITHOUT_UFRAG);
        assertDropped(Checks.request("short"), Verdict.TOKEN_BAD_LENGTH);
        assertDropped(Checks.request(""), Verdict.TOKEN_BAD_LENGTH);
        assertDropped(Checks.request(good.substring(1) + "_"), Verdict.TOKEN_BAD_ALPHABET);
        assertDropped(Checks.request("/" + good.substring(1)), Verdict.TOKEN_BAD_VERSION);
        // Version 1, IPv4, key id 4.
        assertDropped(Checks.request("J" + good.substring(1)), Verdict.TOKEN_UNKNOWN_KEY);
        assertDropped(Checks.request(forged()), Verdict.TOKEN_FORGED);
        assertThat(rig.flows.size()).isZero();
    }

    @Test
    void dropsTokensThatLeadWhereTheyMayNot() {
        assertDropped(Checks.request(Checks.ufrag(1, 9, TRANSCEIVER)), Verdict.TOKEN_OTHER_CLUSTER);
        assertDropped(
                Checks.request(Checks.ufrag(1, Endpoint.of("192.0.2.1", 5000))),
                Verdict.TOKEN_OUTSIDE_RANGES);
        assertThat(rig.flows.size()).isZero();
    }

    @Test
    void aSessionHasSixteenAddressesAndTheNextOnesAreRoutedByTokenAlone() {
        for (int i = 0; i < 16; i++) {
            var _ = rig.up(Endpoint.of("198.51.100.9", 1000 + i), check);
        }
        Endpoint next = Endpoint.of("198.51.100.9", 2000);
        assertForwarded(rig.up(next, check), TRANSCEIVER, next, VIP, check);
        assertThat(rig.counters.count(Verdict.UP_UNCACHED_SESSION_FULL)).isEqualTo(1);
        assertThat(rig.up(next, MEDIA)).isEmpty();
        byte[] other = Checks.request(Checks.ufrag(2, TRANSCEIVER));
        assertForwarded(rig.up(next, other), TRANSCEIVER, next, VIP, other);
        assertThat(rig.up(next, check)).hasSize(1);
        assertThat(rig.counters.count(Verdict.UP_UNCACHED_SESSION_FULL)).isEqualTo(2);
    }

    @Test
    void anIceRestartIsTheSameSessionOnTheSameRoute() {
        for (int i = 0; i < 16; i++) {
            var _ = rig.up(Endpoint.of("198.51.100.9", 1000 + i), check);
        }
        byte[] restart = Checks.request(Checks.restartedUfrag(1, TRANSCEIVER, 1));
        Endpoint one = Endpoint.of("198.51.100.9", 1000);
        assertForwarded(rig.up(one, restart), TRANSCEIVER, one, VIP, restart);
        assertForwarded(rig.up(one, restart), TRANSCEIVER, one, VIP, restart);
        assertThat(rig.counters.count(Verdict.UP_MOVED_FLOW)).as("opened once").isEqualTo(1);
        Endpoint next = Endpoint.of("198.51.100.9", 2000);
        assertForwarded(rig.up(next, restart), TRANSCEIVER, next, VIP, restart);
        assertThat(rig.counters.count(Verdict.UP_UNCACHED_SESSION_FULL)).isEqualTo(1);
    }

    @Test
    void aFullTableRoutesNewClientsByTokenAlone() {
        for (int i = 0; i < RelayRig.MAX_FLOWS; i++) {
            byte[] own = Checks.request(Checks.ufrag(100 + i, TRANSCEIVER));
            var _ = rig.up(Endpoint.of("198.51.100.9", 1000 + i), own);
        }
        assertForwarded(rig.up(CLIENT, check), TRANSCEIVER, CLIENT, VIP, check);
        assertThat(rig.counters.count(Verdict.UP_UNCACHED_TABLE_FULL)).isEqualTo(1);
        assertThat(rig.flows.size()).isEqualTo(RelayRig.MAX_FLOWS);
    }

    @Test
    void aFlowLivesWhilePacketsComeAndEndsWithoutThem() {
        var _ = rig.up(CLIENT, check);
        for (int i = 0; i < 5; i++) {
            rig.pass(Duration.ofSeconds(20));
            assertThat(rig.up(CLIENT, MEDIA)).hasSize(1);
        }
        rig.pass(Duration.ofSeconds(31));
        assertDropped(MEDIA, Verdict.MEDIA_WITHOUT_FLOW);
        rig.pass(Duration.ofSeconds(16));
        assertThat(rig.flows.size()).isZero();
    }

    @Test
    void whatTheSendBufferDoesNotTakeIsCounted() {
        for (int i = 0; i < 5; i++) {
            rig.vip.arrive(CLIENT, check);
        }
        rig.upstream.room(2);
        assertThat(rig.run()).isEqualTo(5);
        assertThat(rig.upstream.takeSent()).hasSize(2);
        assertThat(rig.counters.count(Verdict.UP_UNSENT)).isEqualTo(3);
    }

    @Test
    void aDropInTheMiddleOfABatchLeavesTheOthersInOrder() {
        rig.vip.arrive(CLIENT, check);
        rig.vip.arrive(Endpoint.of("192.0.2.66", 1), MEDIA);
        rig.vip.arrive(CLIENT, Checks.rtp(20));
        rig.vip.arrive(CLIENT, new byte[3]);
        rig.vip.arrive(CLIENT, Checks.rtp(30));
        var _ = rig.run();
        assertThat(rig.upstream.takeSent())
                .extracting(d -> d.bytes().length - 38)
                .containsExactly(check.length, 20, 30);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7})
    void takesChecksOfUpTo1500Bytes(int less) {
        byte[] small = Checks.request(Checks.ufrag(1, TRANSCEIVER));
        byte[] large = Checks.padded(small, 1500 - less);
        assertForwarded(rig.up(CLIENT, large), TRANSCEIVER, CLIENT, VIP, large);
    }

    private static String forged() {
        String good = Checks.ufrag(1, TRANSCEIVER);
        return good.substring(0, 30) + (good.charAt(30) == 'A' ? 'B' : 'A') + good.substring(31);
    }

    private void assertDropped(byte[] bytes, Verdict verdict) {
        long before = rig.counters.count(verdict);
        assertThat(rig.up(CLIENT, bytes)).isEmpty();
        assertThat(rig.counters.count(verdict)).as("%s", verdict).isEqualTo(before + 1);
    }

    private static void assertForwarded(
            List<FakePort.Datagram> sent,
            Endpoint transceiver,
            Endpoint client,
            Endpoint proxy,
            byte[] payload) {
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().peer()).isEqualTo(transceiver);
        assertThat(sent.getFirst().bytes()).isEqualTo(RelayRig.headed(client, proxy, payload));
        assertThat(sent.getFirst().local()).isEqualTo(FakePort.UNTOLD);
    }
}
