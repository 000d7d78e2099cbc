package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.route.LegKind;
import dev.parley.rtc.route.LegPacket;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.runtime.cluster.ClusterMap;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Relays of two clusters, one where clients come in and two at their transceivers' home, with the
 * network between them in the test's hands.
 */
final class TwoClusters {
    static final int INGRESS = 1;
    static final int HOME = 2;
    static final Endpoint INGRESS_VIP = Endpoint.of("203.0.113.10", 3478);
    static final Endpoint INGRESS_LEG = Endpoint.of("10.1.0.4", 3490);
    static final Endpoint HOME_VIP = Endpoint.of("203.0.113.20", 3478);
    static final Endpoint HOME_LEG = Endpoint.of("10.2.0.4", 3490);
    static final Endpoint HOME_OTHER_WAY = Endpoint.of("203.0.113.21", 3490);
    static final Endpoint SECOND_VIP = Endpoint.of("203.0.113.22", 3478);
    static final Endpoint SECOND_LEG = Endpoint.of("10.2.0.5", 3490);
    static final int TOLERANCE_SECONDS = 30;
    static final Duration TIMEOUT = Duration.ofMillis(400);
    static final Map<Integer, byte[]> KEYS =
            Map.of(4, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
    static final String MAP =
            """
            clusters:
              - {id: 1, name: ingress, region: a, latitude: 0, longitude: 0, relays: [
                  {public: 203.0.113.10:3478, legs: 10.1.0.4:3490}]}
              - {id: 2, name: home, region: b, latitude: 0, longitude: 90, relays: [
                  {public: 203.0.113.20:3478, legs: [10.2.0.4:3490, 203.0.113.21:3490], weight: 10000},
                  {public: 203.0.113.22:3478, legs: 10.2.0.5:3490, weight: 1}]}
            """;

    private int starts = 100;
    RelayRig ingress = start(INGRESS, INGRESS_VIP);
    RelayRig home = start(HOME, HOME_VIP);
    RelayRig second = start(HOME, SECOND_VIP);

    /** What no longer arrives, by where it is sent to. */
    final List<Endpoint> cut = new ArrayList<>();

    /** Every packet over a leg so far. */
    final List<FakePort.Datagram> seen = new ArrayList<>();

    /** A relay that has just started. */
    RelayRig start(int cluster, Endpoint vip) {
        return start(cluster, vip, legOf(cluster, vip));
    }

    RelayRig start(int cluster, Endpoint vip, Endpoint leg) {
        Legs legs = legs(cluster, ++starts);
        tell(legs, MAP, cluster, leg);
        return new RelayRig(cluster, vip, legs);
    }

    private static Endpoint legOf(int cluster, Endpoint vip) {
        return switch (cluster) {
            case INGRESS -> INGRESS_LEG;
            case HOME -> vip.equals(SECOND_VIP) ? SECOND_LEG : HOME_LEG;
            default -> Endpoint.of("10.3.0.4", 3490);
        };
    }

    static LegPlan plan(String map, int cluster) {
        return LegPlan.of(map(map), cluster);
    }

    private static ClusterMap map(String text) {
        return ClusterMap.parse("map", text.getBytes(StandardCharsets.UTF_8));
    }

    /** Tells a worker that is reached at an address what a map says. */
    static void tell(Legs legs, String map, int cluster, Endpoint leg) {
        legs.plan(
                plan(map, cluster), LegNames.of(map(map), cluster, List.of(leg.toSocketAddress())));
    }

    static Legs legs(int cluster, int sender) {
        return Legs.of(
                packet(cluster, sender),
                new LegSettings(
                        cluster, TOLERANCE_SECONDS, TIMEOUT.toNanos(), RelayRig.TIMEOUT_NANOS),
                Long.MIN_VALUE / 2);
    }

    static LegPacket packet(int cluster, int sender) {
        return new LegPacket(RouteKeys.of(KEYS), 4, cluster, sender);
    }

    /** Somebody who has the keys, and what they may send to the home cluster. */
    static final class Sender {
        private final LegPacket packet;
        private final Endpoint to;
        private int sequence;

        /**
         * One of a cluster.
         *
         * @param from the address that it says it is at
         * @param number its random number
         */
        Sender(Endpoint from, int cluster, int number, Endpoint to) {
            this.packet = packet(cluster, number);
            this.to = to;
            packet.ownGate(LegPlan.name(from.toSocketAddress()));
        }

        byte[] seal(LegKind kind, byte[] carried, long nowNanos) {
            packet.towards(HOME, LegPlan.name(to.toSocketAddress()));
            ByteBuffer bytes = ByteBuffer.allocate(LegPacket.MAX_HEADER + carried.length);
            bytes.put(LegPacket.MAX_HEADER, carried);
            int seconds = (int) Math.floorDiv(nowNanos, Duration.ofSeconds(1).toNanos());
            int added =
                    packet.seal(
                            bytes,
                            LegPacket.MAX_HEADER,
                            carried.length,
                            kind,
                            RelayRig.TRANSCEIVER.high(),
                            RelayRig.TRANSCEIVER.low(),
                            RelayRig.TRANSCEIVER.port(),
                            LegPacket.stamp(seconds, sequence++));
            byte[] sealed = new byte[added + carried.length];
            bytes.get(LegPacket.MAX_HEADER - added, sealed);
            return sealed;
        }
    }

    /** A turn of each, and the network carries what they sent, until nothing moves. */
    void settle() {
        for (int turn = 0; turn < 6; turn++) {
            var _ = ingress.run();
            var _ = home.run();
            var _ = second.run();
            carry(ingress, INGRESS_LEG);
            carry(home, HOME_LEG);
            carry(second, SECOND_LEG);
        }
    }

    private void carry(RelayRig from, Endpoint source) {
        for (FakePort.Datagram sent : from.leg.takeSent()) {
            seen.add(new FakePort.Datagram(source, sent.peer(), sent.bytes()));
            if (!cut.contains(sent.peer())) {
                at(sent.peer()).leg.arrive(source, sent.bytes());
            }
        }
    }

    private RelayRig at(Endpoint leg) {
        if (leg.equals(INGRESS_LEG)) {
            return ingress;
        }
        if (leg.equals(SECOND_LEG)) {
            return second;
        }
        assertThat(leg).isIn(HOME_LEG, HOME_OTHER_WAY);
        return home;
    }

    /** Lets time pass for all, the network carrying on. */
    void pass(Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 50) {
            for (RelayRig rig : List.of(ingress, home, second)) {
                rig.now += Duration.ofMillis(Math.min(50, left)).toNanos();
            }
            settle();
        }
    }
}
