package dev.parley.relay;

import static dev.parley.relay.RelayRig.CLIENT;
import static dev.parley.relay.RelayRig.TRANSCEIVER;
import static dev.parley.relay.RelayRig.VIP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.relay.store.FakeStore;
import dev.parley.relay.store.StoreAnswer.Miss;
import dev.parley.relay.store.StoreLane.Kind;
import dev.parley.relay.store.StoredRoute;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a worker asks of the flow store, and what it does with the answers. */
class StoredFlowsTest {
    private static final byte[] MEDIA = Checks.rtp(172);
    private static final long SESSION = 1;
    private static final StoredRoute ROUTE = route(TRANSCEIVER, 0);
    private static final Endpoint OTHER = Endpoint.of("10.9.9.9", 5000);

    private final RelayRig rig = new RelayRig();
    private final byte[] check = Checks.request(Checks.ufrag(SESSION, TRANSCEIVER));

    private static StoredRoute route(Endpoint transceiver, int cluster) {
        return new StoredRoute(
                transceiver.high(),
                transceiver.low(),
                transceiver.port(),
                cluster,
                SESSION,
                SESSION << 32);
    }

    @BeforeEach
    void connect() {
        rig.store.available(true);
    }

    @Test
    void holdsMediaOfAnUnknownClientUntilTheStoreTellsItsFlow() {
        assertThat(rig.up(CLIENT, Checks.rtp(20))).isEmpty();
        assertThat(rig.up(CLIENT, Checks.rtp(21))).isEmpty();
        assertThat(rig.store.takeAsked())
                .containsExactly("198.51.100.7:40000 at 203.0.113.10:3478");

        rig.store.answer(ROUTE);
        List<FakePort.Datagram> sent = rig.up(CLIENT, Checks.rtp(22));

        assertThat(sent).extracting(d -> d.bytes().length).containsExactly(58, 59, 60);
        assertThat(sent).extracting(FakePort.Datagram::peer).containsOnly(TRANSCEIVER);
        assertThat(sent.getFirst().bytes()).isEqualTo(RelayRig.headed(CLIENT, VIP, Checks.rtp(20)));
        assertThat(count(Verdict.UP_HELD)).isEqualTo(2);
        assertThat(count(Verdict.UP_RECOVERED)).isEqualTo(2);
        assertThat(count(Verdict.UP_BY_FLOW)).isEqualTo(1);
        assertThat(rig.store.takeAsked()).isEmpty();
    }

    @Test
    void holdsAFewOfEachClientOnly() {
        for (int i = 0; i < HeldDatagrams.PER_SOURCE + 3; i++) {
            var _ = rig.up(CLIENT, Checks.rtp(20 + i));
        }
        rig.store.answer(ROUTE);
        var _ = rig.run();
        assertThat(rig.upstream.takeSent())
                .extracting(d -> d.bytes().length)
                .containsExactly(58, 59, 60, 61);
        assertThat(count(Verdict.UP_HELD_TOO_MANY)).isEqualTo(3);
    }

    @Test
    void forgetsWhatWaitsTooLongButLearnsFromALateAnswer() {
        var _ = rig.up(CLIENT, MEDIA);
        rig.pass(Duration.ofMillis(100));
        assertThat(count(Verdict.UP_HELD_TOO_LONG)).isEqualTo(1);
        rig.store.answer(ROUTE);
        var _ = rig.run();
        assertThat(rig.upstream.takeSent()).isEmpty();
        assertThat(rig.up(CLIENT, MEDIA)).hasSize(1);
        assertThat(count(Verdict.UP_BY_FLOW)).isEqualTo(1);
    }

    @Test
    void holdsAgainWhileAnAnswerIsLate() {
        var _ = rig.up(CLIENT, Checks.rtp(20));
        rig.pass(Duration.ofMillis(100));
        assertThat(rig.up(CLIENT, Checks.rtp(21))).isEmpty();
        assertThat(rig.store.takeAsked()).as("one read under way is enough").hasSize(1);
        rig.store.answer(ROUTE);
        var _ = rig.run();
        assertThat(rig.upstream.takeSent()).extracting(d -> d.bytes().length).containsExactly(59);
    }

    @Test
    void aCheckReleasesWhatIsHeldAndTheAnswerChangesNothing() {
        var _ = rig.up(CLIENT, MEDIA);
        List<FakePort.Datagram> sent = rig.up(CLIENT, check);
        assertThat(sent)
                .extracting(d -> d.bytes().length)
                .containsExactly(38 + MEDIA.length, 38 + check.length);
        rig.store.answer(route(OTHER, 0));
        var _ = rig.run();
        assertThat(rig.up(CLIENT, MEDIA).getFirst().peer()).isEqualTo(TRANSCEIVER);
    }

    @Test
    void aTransceiversWordReleasesWhatIsHeld() {
        var _ = rig.up(CLIENT, MEDIA);
        rig.down(TRANSCEIVER, RelayRig.headed(CLIENT, VIP, MEDIA));
        assertThat(rig.upstream.takeSent()).hasSize(1);
        rig.store.answer(Miss.ABSENT);
        assertThat(rig.up(CLIENT, MEDIA)).hasSize(1);
    }

    @Test
    void asksNothingForAStrangerThatGoesOn() {
        var _ = rig.up(CLIENT, MEDIA);
        rig.store.answer(Miss.ABSENT);
        for (int i = 0; i < 100; i++) {
            assertThat(rig.up(CLIENT, MEDIA)).isEmpty();
            rig.now += Duration.ofMillis(20).toNanos();
        }
        assertThat(rig.store.takeAsked()).hasSize(1);
        assertThat(count(Verdict.MEDIA_WITHOUT_FLOW)).isEqualTo(101);
        rig.now += FlowLookups.UNKNOWN_NANOS;
        var _ = rig.up(CLIENT, MEDIA);
        assertThat(rig.store.takeAsked()).hasSize(1);
    }

    @Test
    void asksAgainSoonAfterAReadThatFailed() {
        var _ = rig.up(CLIENT, MEDIA);
        rig.store.answer(Miss.FAILED);
        assertThat(rig.up(CLIENT, MEDIA)).isEmpty();
        assertThat(count(Verdict.UP_LOOKUP_FAILED)).isEqualTo(1);
        assertThat(rig.store.takeAsked()).hasSize(1);
        rig.now += FlowLookups.FAILED_NANOS;
        var _ = rig.up(CLIENT, MEDIA);
        assertThat(rig.store.takeAsked()).hasSize(1);
    }

    @Test
    void manyStrangersCostABoundedNumberOfReads() {
        for (int i = 0; i < 1_000; i++) {
            var _ = rig.up(Endpoint.of("192.0.2.1", 1_000 + i), MEDIA);
        }
        assertThat(rig.store.takeAsked()).hasSize(RelayRig.STORE_REQUESTS_PER_SECOND);
        assertThat(count(Verdict.UP_LOOKUP_LIMITED))
                .isEqualTo(1_000 - RelayRig.STORE_REQUESTS_PER_SECOND);
        rig.now += Duration.ofSeconds(1).toNanos();
        var _ = rig.up(CLIENT, MEDIA);
        assertThat(rig.store.takeAsked()).as("others are not kept waiting").hasSize(1);
    }

    @Test
    void asksForNothingWhileTheStoreIsAway() {
        rig.store.available(false);
        assertThat(rig.up(CLIENT, MEDIA)).isEmpty();
        assertThat(rig.up(CLIENT, check)).hasSize(1);
        assertThat(rig.store.takeAsked()).isEmpty();
        assertThat(rig.store.takeChanges()).isEmpty();
        assertThat(count(Verdict.MEDIA_WITHOUT_FLOW)).isEqualTo(1);
    }

    @Test
    void storedRoutesLeadNowhereThatATokenCouldNot() {
        assertRefused(Endpoint.of("198.51.100.7", 1), route(Endpoint.of("192.0.2.1", 5000), 0));
        assertRefused(Endpoint.of("198.51.100.7", 2), route(TRANSCEIVER, 1));
    }

    private void assertRefused(Endpoint client, StoredRoute stored) {
        long before = count(Verdict.UP_LOOKUP_REFUSED);
        var _ = rig.up(client, MEDIA);
        rig.store.answer(stored);
        assertThat(rig.up(client, MEDIA)).isEmpty();
        assertThat(count(Verdict.UP_LOOKUP_REFUSED)).isEqualTo(before + 1);
    }

    @Test
    void whatIsNoRouteIsRefused() {
        var _ = rig.up(CLIENT, MEDIA);
        rig.store.answer(Miss.UNUSABLE);
        assertThat(rig.up(CLIENT, MEDIA)).isEmpty();
        assertThat(count(Verdict.UP_LOOKUP_REFUSED)).isEqualTo(1);
    }

    @Test
    void aFlowThatOnlyTheStoreToldEndsThoughItsClientGoesOn() {
        recover(CLIENT, ROUTE);
        long end = rig.now + FlowLookups.PROVISIONAL_NANOS;
        int forwarded = 0;
        while (end - rig.now >= 0) {
            forwarded += rig.up(CLIENT, MEDIA).size();
            rig.now += Duration.ofMillis(500).toNanos();
        }
        assertThat(forwarded).isEqualTo(31);
        assertThat(rig.store.takeChanges()).as("nor does it prolong its entry").isEmpty();
        assertThat(rig.up(CLIENT, MEDIA)).isEmpty();
        assertThat(rig.store.takeAsked()).hasSize(1);
    }

    @Test
    void itsTransceiverConfirmsAFlowThatTheStoreTold() {
        recover(CLIENT, ROUTE);
        rig.down(TRANSCEIVER, RelayRig.headed(CLIENT, VIP, MEDIA));
        assertThat(rig.vip.takeSent()).hasSize(1);
        rig.pass(Duration.ofNanos(FlowLookups.PROVISIONAL_NANOS + 1));
        assertThat(rig.up(CLIENT, MEDIA)).hasSize(1);
        assertThat(rig.store.takeChanges())
                .extracting(FakeStore.Change::kind)
                .as("it is ours from now on")
                .contains(Kind.REFRESH);
    }

    @Test
    void aCheckConfirmsAFlowThatTheStoreToldAndClaimsItsEntry() {
        recover(CLIENT, ROUTE);
        assertThat(rig.up(CLIENT, check)).hasSize(1);
        assertThat(rig.store.takeChanges())
                .containsExactly(
                        new FakeStore.Change(
                                Kind.WRITE, "198.51.100.7:40000 at 203.0.113.10:3478", ROUTE));
        rig.pass(Duration.ofNanos(FlowLookups.PROVISIONAL_NANOS + 1));
        assertThat(rig.up(CLIENT, MEDIA)).hasSize(1);
    }

    @Test
    void aStaleEntryGivesWayToTheTransceiverThatServesTheClient() {
        recover(CLIENT, route(OTHER, 0));
        rig.down(TRANSCEIVER, RelayRig.headed(CLIENT, VIP, MEDIA));
        assertThat(rig.vip.takeSent()).hasSize(1);
        assertThat(rig.up(CLIENT, MEDIA).getFirst().peer()).isEqualTo(TRANSCEIVER);
        rig.down(OTHER, RelayRig.headed(CLIENT, VIP, MEDIA));
        assertThat(rig.vip.takeSent()).isEmpty();
        assertThat(count(Verdict.DOWN_OTHER_TRANSCEIVER)).isEqualTo(1);
    }

    @Test
    void aStaleEntryGivesWayToACheck() {
        recover(CLIENT, route(OTHER, 0));
        assertThat(rig.up(CLIENT, check).getFirst().peer()).isEqualTo(TRANSCEIVER);
        assertThat(rig.up(CLIENT, MEDIA).getFirst().peer()).isEqualTo(TRANSCEIVER);
    }

    private void recover(Endpoint client, StoredRoute stored) {
        var _ = rig.up(client, MEDIA);
        rig.store.answer(stored);
        var _ = rig.run();
        assertThat(rig.upstream.takeSent()).hasSize(1);
        assertThat(rig.store.takeAsked()).hasSize(1);
    }

    @Test
    void writesAFlowOnceWhenItIsMadeAndOnceWhenItMoves() {
        var _ = rig.up(CLIENT, check);
        var _ = rig.up(CLIENT, check);
        var _ = rig.up(CLIENT, MEDIA);
        assertThat(rig.store.takeChanges())
                .containsExactly(
                        new FakeStore.Change(
                                Kind.WRITE, "198.51.100.7:40000 at 203.0.113.10:3478", ROUTE));
        byte[] second = Checks.request(Checks.ufrag(2, OTHER));
        var _ = rig.up(CLIENT, second);
        assertThat(rig.store.takeChanges()).hasSize(1);
        var _ = rig.up(CLIENT, check);
        assertThat(rig.store.takeChanges()).hasSize(1);
    }

    @Test
    void tokensThatDifferInWhatNobodyVouchesForWriteNothing() {
        for (int i = 0; i < 10; i++) {
            String ufrag = Checks.ufragOf(SESSION, (SESSION << 32) + i, TRANSCEIVER);
            var _ = rig.up(CLIENT, Checks.request(ufrag));
        }
        assertThat(rig.store.takeChanges()).hasSize(1);
        assertThat(count(Verdict.UP_MOVED_FLOW)).isEqualTo(9);
    }

    @Test
    void refreshesALiveFlowAndRemovesAnExpiredOne() {
        var _ = rig.up(CLIENT, check);
        var _ = rig.store.takeChanges();
        int refreshes = 0;
        for (int i = 0; i < 60; i++) {
            rig.pass(Duration.ofSeconds(1));
            var _ = rig.up(CLIENT, MEDIA);
            List<FakeStore.Change> changes = rig.store.takeChanges();
            assertThat(changes).allMatch(change -> change.kind() == Kind.REFRESH);
            refreshes += changes.size();
        }
        // An entry lives for 37.5 seconds here.
        assertThat(refreshes).isBetween(2, 5);
        rig.pass(Duration.ofNanos(RelayRig.TIMEOUT_NANOS * 2));
        assertThat(rig.store.takeChanges())
                .last()
                .isEqualTo(
                        new FakeStore.Change(
                                Kind.REMOVE, "198.51.100.7:40000 at 203.0.113.10:3478", ROUTE));
    }

    @Test
    void writesLaterWhatTheStoreCouldNotTake() {
        rig.store.available(false);
        var _ = rig.up(CLIENT, check);
        rig.store.available(true);
        rig.pass(Duration.ofNanos(RelayRig.TIMEOUT_NANOS / 2 + 1));
        assertThat(rig.store.takeChanges())
                .extracting(FakeStore.Change::kind)
                .containsExactly(Kind.REFRESH);
    }

    @Test
    void newFlowsCostABoundedNumberOfWrites() {
        for (int i = 0; i < 50; i++) {
            var _ =
                    rig.up(
                            Endpoint.of("192.0.2.1", 1_000 + i),
                            Checks.request(Checks.ufrag(100 + i, TRANSCEIVER)));
        }
        assertThat(rig.store.takeChanges()).hasSize(RelayRig.STORE_REQUESTS_PER_SECOND);
    }

    @Test
    void storesNothingThatATransceiverAloneHasTold() {
        rig.down(TRANSCEIVER, RelayRig.headed(CLIENT, VIP, MEDIA));
        for (int i = 0; i < 60; i++) {
            rig.pass(Duration.ofSeconds(1));
            assertThat(rig.up(CLIENT, MEDIA)).hasSize(1);
        }
        assertThat(rig.store.takeChanges()).isEmpty();
        var _ = rig.up(CLIENT, check);
        assertThat(rig.store.takeChanges())
                .extracting(FakeStore.Change::kind)
                .containsExactly(Kind.WRITE);
    }

    @Test
    void answersForManyClientsGoToTheirOwn() {
        for (int i = 0; i < RelayRig.STORE_REQUESTS_PER_SECOND; i++) {
            var _ = rig.up(Endpoint.of("192.0.2.1", 1_000 + i), MEDIA);
        }
        for (int i = 0; i < RelayRig.STORE_REQUESTS_PER_SECOND; i++) {
            Endpoint transceiver = Endpoint.of("10.0.0.1", 6_000 + i);
            rig.store.answer(
                    new StoredRoute(
                            transceiver.high(), transceiver.low(), transceiver.port(), 0, i, i));
        }
        var _ = rig.run();
        List<FakePort.Datagram> sent = rig.upstream.takeSent();
        assertThat(sent).hasSize(RelayRig.STORE_REQUESTS_PER_SECOND);
        for (FakePort.Datagram datagram : sent) {
            int client = datagram.peer().port() - 5_000;
            assertThat(datagram.bytes())
                    .isEqualTo(RelayRig.headed(Endpoint.of("192.0.2.1", client), VIP, MEDIA));
        }
    }

    private long count(Verdict verdict) {
        return rig.counters.count(verdict);
    }
}
