package dev.parley.rtc.ice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.ice.IceControlling.Nomination;
import dev.parley.rtc.sim.SimAddress;
import dev.parley.rtc.sim.SimLink;
import dev.parley.rtc.sim.SimNat;
import dev.parley.rtc.sim.SimNetwork;
import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A caller that has a call of its own, knows all its secrets, and sends as well from the address of
 * a third party, whose datagrams it does not see; in the simulated network, one seed per run.
 */
class IceReflectionTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int MINUTES = 5;
    private static final SimLink DELAY = new SimLink(0, 0, 0, SECOND / 50, SECOND / 50);

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 10);
    }

    private static final class Attack {
        final SimNetwork network;
        final IceServer server;
        final IceCredentials serverSide;
        final IceCredentials callerSide;
        final IceLite session;
        final SimNat nat;
        final SimAddress victim = SimAddress.of(66, 6_666);
        final IceClient caller;
        long forged;
        long reflected;
        long reflectedMedia;
        private byte[] lastCheck = new byte[0];

        private final StunWriter writer = new StunWriter();
        private final ByteBuffer out = ByteBuffer.allocate(StunWriter.MAX_LENGTH);

        Attack(long seed) {
            network = new SimNetwork(seed, DELAY);
            server = new IceServer(network);
            serverSide = IceCredentials.random(network.random());
            callerSide = IceCredentials.random(network.random());
            session = server.open(serverSide, callerSide);
            nat = new SimNat(network, 99);
            caller =
                    new IceClient(
                            network,
                            nat,
                            SimAddress.of(2, 5_000),
                            server.address,
                            callerSide,
                            serverSide,
                            Nomination.AGGRESSIVE);
            network.attach(victim, (_, datagram) -> reflect(datagram));
            network.run(SECOND);
            server.shakeHands(session);
            server.speak();
        }

        private void reflect(byte[] datagram) {
            reflected += datagram.length;
            reflectedMedia += Arrays.equals(datagram, IceServer.MEDIA) ? datagram.length : 0;
        }

        /** Sends something in the victim's name. */
        void forge() {
            byte[] datagram =
                    switch (network.random().nextInt(8)) {
                        case 0, 1 -> check(true);
                        case 2 -> check(false);
                        case 3 -> lastCheck;
                        case 4 -> answer();
                        default -> IceServer.MEDIA;
                    };
            forged += datagram.length;
            network.send(victim, server.address, datagram);
        }

        private byte[] check(boolean nominates) {
            writer.bindingRequest(out, 0, network.random().nextInt(), network.random().nextLong())
                    .username(serverSide.ufrag() + ":" + callerSide.ufrag());
            if (nominates) {
                writer.useCandidate();
            }
            int length =
                    writer.integrity(StunIntegrity.shortTerm(serverSide.password()))
                            .fingerprint()
                            .length();
            lastCheck = Arrays.copyOf(out.array(), length);
            return lastCheck;
        }

        /** An answer to a check that it has not seen. */
        private byte[] answer() {
            ByteBuffer request = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
            int asked =
                    writer.bindingRequest(
                                    request,
                                    0,
                                    network.random().nextInt(),
                                    network.random().nextLong())
                            .length();
            StunReader reader = new StunReader();
            assertThat(reader.wrap(request, 0, asked)).isTrue();
            int length =
                    writer.bindingSuccess(out, 0, reader)
                            .integrity(StunIntegrity.shortTerm(callerSide.password()))
                            .fingerprint()
                            .length();
            return Arrays.copyOf(out.array(), length);
        }

        long elapsedSeconds() {
            return network.elapsedNanos() / SECOND;
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void sendsAThirdPartyNoMoreThanTheBudget(long seed) {
        Attack attack = new Attack(seed);
        while (attack.elapsedSeconds() < 60 * MINUTES) {
            attack.forge();
            // The caller's own address stays good, and now and then it is another one.
            if (attack.network.random().nextInt(200) == 0) {
                attack.nat.rebind();
            }
            attack.network.run(attack.network.random().nextLong(SECOND / 5));
        }
        long renewals = attack.elapsedSeconds() * SECOND / UnprovenBudget.RENEWAL_NANOS + 1;
        assertThat(attack.reflected)
                .isLessThanOrEqualTo(3 * attack.forged + renewals * UnprovenBudget.GRANT_BYTES);
        assertThat(attack.server.count(IceVerdict.SELECTED)).as("it moves").isGreaterThan(100);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void sendsAThirdPartyNoMediaForLongWhateverComesFromThere(long seed) {
        Attack attack = new Attack(seed);
        attack.caller.vanish();
        while (attack.elapsedSeconds() < 60 * MINUTES) {
            attack.forge();
            attack.network.run(attack.network.random().nextLong(SECOND / 5));
        }
        assertThat(attack.reflectedMedia)
                .isBetween(UnprovenBudget.TOTAL_BYTES - 1_000L, (long) UnprovenBudget.TOTAL_BYTES);
        assertThat(attack.reflected).isLessThan(3 * attack.forged);
    }
}
