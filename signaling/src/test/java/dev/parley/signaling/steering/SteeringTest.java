package dev.parley.signaling.steering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.parley.runtime.cluster.ClusterMap;
import dev.parley.runtime.cluster.LatencyTable;
import dev.parley.runtime.cluster.Location;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.steering.Placement.Decision;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SteeringTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("198.51.100.7");
    private static final int AMSTERDAM = 1;
    private static final int VIRGINIA = 2;
    private static final int SINGAPORE = 3;
    private static final String MAP =
            """
            clusters:
              - id: 1
                name: ams
                region: eu-west
                latitude: 52.4
                longitude: 4.9
                relays:
                  - {public: 203.0.113.10:3478, legs: 10.1.0.4:3490}
                  - {public: 203.0.113.11:3478, legs: 10.1.0.5:3490}
              - id: 2
                name: iad
                region: us-east
                latitude: 39.0
                longitude: -77.5
                relays:
                  - {public: ["203.0.113.20:3478", "[2001:db8::20]:3478"], legs: 10.2.0.4:3490}
              - id: 3
                name: sin
                region: asia-southeast
                latitude: 1.3
                longitude: 103.8
                relays:
                  - {public: 203.0.113.30:3478, legs: 10.3.0.4:3490}
            """;

    private String map = MAP;
    private String latencies = "latencies: []";
    private final Set<Integer> closed = new HashSet<>();
    private final Map<Integer, Double> loads = new HashMap<>();

    private Decision decide(Whereabouts client) {
        return steering().decide(client);
    }

    private Steering steering() {
        ClusterMap parsed = ClusterMap.parse("map", map.getBytes(StandardCharsets.UTF_8));
        LatencyTable table =
                LatencyTable.parse("table", latencies.getBytes(StandardCharsets.UTF_8));
        return new Steering(
                () -> parsed,
                () -> table,
                new ClusterView() {
                    @Override
                    public boolean takesCalls(int cluster) {
                        return !closed.contains(cluster);
                    }

                    @Override
                    public double load(int cluster) {
                        return loads.getOrDefault(cluster, 0.0);
                    }
                },
                AMSTERDAM,
                List.of("192.0.2.1:3478"),
                Optional.empty(),
                new SplittableRandom(1));
    }

    private static Whereabouts in(String country) {
        return where(country, "", Optional.empty());
    }

    private static Whereabouts where(String country, String pop, Optional<Location> location) {
        return new Whereabouts(
                ADDRESS,
                Optional.of(country).filter(text -> !text.isEmpty()),
                Optional.empty(),
                Optional.of(pop).filter(text -> !text.isEmpty()),
                location,
                Optional.empty(),
                1);
    }

    @Test
    void callsGoToTheNearestClusterAndEnterThere() {
        assertThat(decide(in("DE")).owners()).containsExactly(AMSTERDAM, VIRGINIA, SINGAPORE);
        assertThat(decide(in("BR")).owners()).startsWith(VIRGINIA);
        Decision indonesia = decide(in("ID"));
        assertThat(indonesia.owners()).startsWith(SINGAPORE);
        assertThat(indonesia.relayAddresses()).containsExactly("203.0.113.30:3478");
        assertThat(indonesia.ingress()).isEqualTo("sin");
        assertThat(indonesia.basis()).isEqualTo("country");
        assertThat(indonesia.inputs()).isEqualTo("country=ID");
    }

    @Test
    void aPositionSaysMoreThanACountryAndAMeasurementMoreThanBoth() {
        Optional<Location> brazil = Optional.of(new Location(-23.55, -46.63));
        Decision byPosition = decide(where("DE", "", brazil));
        assertThat(byPosition.owners()).startsWith(VIRGINIA);
        assertThat(byPosition.basis()).isEqualTo("position");
        assertThat(byPosition.inputs()).isEqualTo("country=DE position=-23.6,-46.6");
        latencies =
                """
                latencies:
                  - {country: DE, to: {ams: 90, sin: 20}}
                  - {pop: gru, to: {ams: 15, iad: 16, sin: 300}}
                """;
        assertThat(decide(where("DE", "", brazil)).owners())
                .containsExactly(SINGAPORE, AMSTERDAM, VIRGINIA);
        Decision byPop = decide(where("DE", "GRU", brazil));
        assertThat(byPop.basis()).isEqualTo("measured_pop");
        assertThat(byPop.owners()).endsWith(SINGAPORE);
        latencies = "latencies: [{network: 198.51.100.0/24, to: {iad: 1}}]";
        Decision byNetwork = decide(where("DE", "GRU", brazil));
        assertThat(byNetwork.owners()).startsWith(VIRGINIA);
        assertThat(byNetwork.basis()).isEqualTo("measured_network");
    }

    @Test
    void withoutAnythingKnownTheClusterWhereTheRequestCameIsTheNearest() {
        Decision decision = decide(Whereabouts.at(ADDRESS));
        assertThat(decision.owners()).containsExactly(AMSTERDAM, VIRGINIA, SINGAPORE);
        assertThat(decision.basis()).isEqualTo("arrival");
        assertThat(decision.ingress()).isEqualTo("ams");
        assertThat(decision.inputs()).isEmpty();
        assertThat(decide(in("ZZ")).basis()).isEqualTo("arrival");
    }

    @Test
    void aRegionThatIsAskedForWinsForTheCallNotForWhereItEnters() {
        Decision decision = decide(in("DE").wishing(Optional.of("asia-southeast"), 1));
        assertThat(decision.owners()).containsExactly(SINGAPORE, AMSTERDAM, VIRGINIA);
        assertThat(decision.ingress()).isEqualTo("ams");
        assertThat(decision.basis()).isEqualTo("region");
        assertThat(decide(in("DE").wishing(Optional.of("iad"), 1)).owners()).startsWith(VIRGINIA);
        assertThatThrownBy(() -> decide(in("DE").wishing(Optional.of("mars"), 1)))
                .isInstanceOf(RefusedException.class)
                .hasMessage("There is no such region; there are asia-southeast, eu-west, us-east.");
    }

    @Test
    void clustersThatDrainOrHaveNoRoomAreLeftOut() {
        closed.add(AMSTERDAM);
        Decision full = decide(in("DE"));
        assertThat(full.owners()).containsExactly(VIRGINIA, SINGAPORE);
        assertThat(full.ingress()).as("its relays have room").isEqualTo("ams");
        closed.clear();
        map = MAP.replace("name: ams\n", "name: ams\n    state: draining\n");
        Decision draining = decide(in("DE"));
        assertThat(draining.owners()).containsExactly(VIRGINIA, SINGAPORE);
        assertThat(draining.ingress()).isEqualTo("iad");
        assertThat(draining.considered()).isEqualTo("ams 8 ms draining, iad 101 ms, sin 155 ms");
        closed.addAll(List.of(VIRGINIA, SINGAPORE));
        assertThatThrownBy(() -> decide(in("DE")))
                .as("not even here, where it drains")
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.DRAINING));
        assertThat(steering().relayAddresses(in("DE")))
                .as("calls that there are go on to enter")
                .startsWith("203.0.113.20:3478");
        map = MAP;
        closed.add(AMSTERDAM);
        assertThat(decide(in("DE")).owners()).as("to be told why").containsExactly(AMSTERDAM);
    }

    @Test
    void callsLiveWhereRelaysReachThem() {
        map = MAP.replaceAll("(?m)^ *relays:\\n *- \\{public: 203.0.113.30.*\\n", "");
        assertThat(decide(in("ID").wishing(Optional.of("sin"), 1)).owners())
                .containsExactly(AMSTERDAM, VIRGINIA);
        map = MAP.replaceAll("(?m)^ *relays:\\n( *- \\{public: 203.0.113.1.*\\n)+", "");
        assertThat(decide(in("DE")).owners()).containsExactly(VIRGINIA, SINGAPORE);
        closed.addAll(List.of(VIRGINIA, SINGAPORE));
        Decision within = decide(in("DE"));
        assertThat(within.owners()).containsExactly(AMSTERDAM);
        assertThat(within.relayAddresses()).as("its own").containsExactly("192.0.2.1:3478");
        assertThat(within.ingress()).isEmpty();
    }

    @Test
    void severalRelaysComeFromTheNearestClustersInTurn() {
        assertThat(decide(in("DE").wishing(Optional.empty(), 4)).relayAddresses())
                .hasSize(5)
                .contains("203.0.113.10:3478", "203.0.113.11:3478")
                .containsSubsequence(
                        "203.0.113.20:3478", "[2001:db8:0:0:0:0:0:20]:3478", "203.0.113.30:3478");
        map = MAP.replaceAll("(?m)^ *relays:\\n( *- \\{public.*\\n)+", "");
        Decision none = decide(in("BR"));
        assertThat(none.relayAddresses()).containsExactly("192.0.2.1:3478");
        assertThat(none.owners()).as("nothing leads elsewhere").containsExactly(AMSTERDAM);
    }

    @Test
    void whatIsAsNearSharesByWeightAndRoom() {
        map =
                MAP.replace("latitude: 39.0", "latitude: 52.5")
                        .replace("longitude: -77.5", "longitude: 5.0")
                        .replace("name: iad\n", "name: iad\n    weight: 300\n");
        assertThat(share(VIRGINIA)).isCloseTo(0.75, within(0.05));
        loads.put(VIRGINIA, 0.9);
        assertThat(share(VIRGINIA)).isCloseTo(0.3 / 1.3, within(0.05));
    }

    private double share(int cluster) {
        Steering steering = steering();
        int first = 0;
        for (int i = 0; i < 1_000; i++) {
            first += steering.decide(in("NL")).owners().getFirst() == cluster ? 1 : 0;
        }
        return first / 1_000.0;
    }
}
