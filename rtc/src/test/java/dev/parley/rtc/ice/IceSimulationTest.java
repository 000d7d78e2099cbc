package dev.parley.rtc.ice;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.ice.IceControlling.Nomination;
import dev.parley.rtc.ice.IceControlling.State;
import dev.parley.rtc.sim.SimAddress;
import dev.parley.rtc.sim.SimLink;
import dev.parley.rtc.sim.SimNat;
import dev.parley.rtc.sim.SimNetwork;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** ICE over a network that loses, delays, reorders, duplicates and damages; one seed per run. */
class IceSimulationTest {
    private static final long SECOND = 1_000_000_000L;

    /** Constant seeds; one that finds a fault is added. */
    static LongStream seeds() {
        return LongStream.rangeClosed(1, 40);
    }

    /** A server with one session and the client's side of its credentials. */
    private static final class World {
        final SimNetwork network;
        final SimNat nat;
        final IceServer server;
        final IceCredentials serverSide;
        final IceCredentials clientSide;
        final IceLite session;

        World(long seed, SimLink link) {
            network = new SimNetwork(seed, link);
            nat = new SimNat(network, 99);
            server = new IceServer(network);
            serverSide = IceCredentials.random(network.random());
            clientSide = IceCredentials.random(network.random());
            session = server.open(serverSide, clientSide);
        }

        IceClient client(int host, Nomination nomination) {
            return new IceClient(
                    network,
                    nat,
                    SimAddress.of(host, 5_000),
                    server.address,
                    clientSide,
                    serverSide,
                    nomination);
        }

        SimAddress selected() {
            return IceServer.client(requireNonNull(session.findSelected(), "nothing selected"));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void connectsAndNominatesOverARoughNetwork(long seed) {
        World world = new World(seed, SimLink.ROUGH);
        IceClient client = world.client(2, Nomination.REGULAR);

        world.network.run(40 * SECOND);

        assertThat(client.ice.state()).isEqualTo(State.CONNECTED);
        assertThat(client.ice.isNominated()).isTrue();
        assertThat(world.selected()).isEqualTo(client.publicAddress());
        assertThat(client.ice.mappedLow()).isEqualTo(client.publicAddress().low());
        assertThat(client.ice.mappedPort()).isEqualTo(client.publicAddress().port());
        assertThat(world.session.isConsentLost(world.network.nowNanos())).isFalse();
        assertThat(world.session.pathCount()).isOne();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void staysForTwentyMinutesAtFivePercentLoss(long seed) {
        World world = new World(seed, new SimLink(0.05, 0.05, 0, SECOND / 10, SECOND / 5));
        IceClient client = world.client(2, Nomination.AGGRESSIVE);

        for (int minute = 0; minute < 20; minute++) {
            world.network.run(60 * SECOND);
            assertThat(client.ice.state()).as("minute %d", minute).isEqualTo(State.CONNECTED);
            assertThat(world.session.isConsentLost(world.network.nowNanos())).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void followsAClientWhoseNatRebinds(long seed) {
        World world = new World(seed, SimLink.ROUGH);
        IceClient client = world.client(2, Nomination.REGULAR);
        world.network.run(40 * SECOND);
        world.server.shakeHands(world.session);
        SimAddress before = client.publicAddress();

        world.nat.rebind();
        // Five consent checks; that all of them or their answers are lost is not among these seeds.
        world.network.run(29 * SECOND);

        assertThat(client.publicAddress()).isNotEqualTo(before);
        assertThat(world.selected()).isEqualTo(client.publicAddress());
        assertThat(client.ice.state()).isEqualTo(State.CONNECTED);
        assertThat(client.ice.mappedPort()).isEqualTo(client.publicAddress().port());
        assertThat(world.server.count(IceVerdict.PROVEN)).isEqualTo(1);
        for (int i = 0; i < 10_000; i++) {
            IcePath to = world.session.claimPath(100, world.network.nowNanos());
            assertThat(IceServer.client(requireNonNull(to))).isEqualTo(world.selected());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void followsAReboundClientThatNominatesOnce(long seed) {
        World world = new World(seed, SimLink.ROUGH);
        IceClient client = world.client(2, Nomination.NONE);
        client.speak();
        world.network.run(40 * SECOND);
        SimAddress before = client.publicAddress();
        assertThat(world.selected()).isEqualTo(before);

        world.nat.rebind();
        IcePath rebound = world.server.pathTo(client.publicAddress());
        while (!world.session.isValid(rebound, world.network.nowNanos())) {
            assertThat(world.selected()).as("media alone moves nothing").isEqualTo(before);
            world.network.run(SECOND / 100);
        }
        // Silence of a second; then media, every half second, which may be lost as well.
        world.network.run(3 * SECOND);

        assertThat(world.selected()).isEqualTo(client.publicAddress());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void survivesAFifteenSecondPartition(long seed) {
        World world = new World(seed, SimLink.PERFECT);
        IceClient client = world.client(2, Nomination.REGULAR);
        world.network.run(10 * SECOND);

        world.network.link(SimLink.CUT);
        world.network.run(15 * SECOND);
        world.network.link(SimLink.PERFECT);
        world.network.run(10 * SECOND);

        assertThat(client.ice.state()).isEqualTo(State.CONNECTED);
        assertThat(world.session.isConsentLost(world.network.nowNanos())).isFalse();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void endsConsentOnBothSidesWhenThePartitionStays(long seed) {
        World world = new World(seed, SimLink.ROUGH);
        IceClient client = world.client(2, Nomination.REGULAR);
        world.network.run(40 * SECOND);

        world.network.link(SimLink.CUT);
        world.network.run(37 * SECOND);

        assertThat(world.session.isConsentLost(world.network.nowNanos())).isTrue();
        assertThat(client.ice.state()).isEqualTo(State.FAILED);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void expiresAVanishedClientWithinTheTimeout(long seed) {
        World world = new World(seed, SimLink.PERFECT);
        IceClient client = world.client(2, Nomination.AGGRESSIVE);
        world.network.run(SECOND * (1 + seed % 7));

        client.vanish();
        long deadline = world.session.consentDeadlineNanos(world.network.nowNanos());
        assertThat(deadline - world.network.nowNanos()).isBetween(23 * SECOND, 30 * SECOND);
        world.network.run(deadline - world.network.nowNanos() - 1);
        assertThat(world.session.isConsentLost(world.network.nowNanos())).isFalse();
        world.network.run(1);
        assertThat(world.session.isConsentLost(world.network.nowNanos())).isTrue();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void settlesOnTheOnePairThatIsNominatedAmongSeveral(long seed) {
        World world = new World(seed, SimLink.ROUGH);
        IceClient other = world.client(2, Nomination.NONE);
        IceClient chosen = world.client(3, Nomination.REGULAR);
        chosen.speak();
        world.network.run(40 * SECOND);

        for (int second = 0; second < 120; second++) {
            assertThat(world.selected()).as("second %d", second).isEqualTo(chosen.publicAddress());
            world.network.run(SECOND);
        }
        assertThat(other.ice.state()).isEqualTo(State.CONNECTED);
        assertThat(world.session.pathCount()).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void followsAnAggressiveClientToThePairItKeepsChecking(long seed) {
        World world = new World(seed, SimLink.ROUGH);
        IceClient first = world.client(2, Nomination.AGGRESSIVE);
        IceClient second = world.client(3, Nomination.AGGRESSIVE);
        world.network.run(40 * SECOND);

        first.vanish();
        world.network.run(40 * SECOND);

        assertThat(world.selected()).isEqualTo(second.publicAddress());
        assertThat(world.session.isConsentLost(world.network.nowNanos())).isFalse();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void keepsTwoSessionsOnOneClientAddressApart(long seed) {
        World world = new World(seed, SimLink.ROUGH);
        IceCredentials secondServerSide = IceCredentials.random(world.network.random());
        IceLite secondSession = world.server.open(secondServerSide, world.clientSide);
        IceClient first = world.client(2, Nomination.REGULAR);
        world.network.run(40 * SECOND);

        // The same socket again, for another session: the first one's answers are lost to it.
        IceClient second =
                new IceClient(
                        world.network,
                        world.nat,
                        SimAddress.of(2, 5_000),
                        world.server.address,
                        world.clientSide,
                        secondServerSide,
                        Nomination.REGULAR);
        first.vanish();
        world.network.run(40 * SECOND);

        assertThat(second.ice.isNominated()).isTrue();
        assertThat(IceServer.client(requireNonNull(secondSession.findSelected())))
                .isEqualTo(second.publicAddress());
        assertThat(world.session.isConsentLost(world.network.nowNanos())).isTrue();
        assertThat(secondSession.isConsentLost(world.network.nowNanos())).isFalse();
    }
}
