package dev.parley.runtime.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.parley.runtime.config.ConfigException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterMapTest {
    private static final String MAP =
            """
            clusters:
              - id: 1
                name: east
                region: eu-west
                latitude: 52.4
                longitude: 4.9
                state: active
                weight: 50
                signaling: https://east.voice.example:8443
                relays:
                  - public: [203.0.113.10:3478, "[2001:db8::10]:3478"]
                    legs: [10.1.0.4:3490, 203.0.113.10:3490]
                    workers: 2
                    weight: 70
              - id: 2
                name: west
                region: us-west
                latitude: 37.4
                longitude: -122.1
                state: draining
                relays:
                  - public: 203.0.113.20:3478
                    legs: 10.2.0.4:3490
            """;

    @Test
    void readsEverything() {
        ClusterMap map = parse(MAP);
        assertThat(map.clusters()).extracting(Cluster::id).containsExactly(1, 2);
        Cluster east = map.find(1).orElseThrow();
        assertThat(east.name()).isEqualTo("east");
        assertThat(east.region()).isEqualTo("eu-west");
        assertThat(east.location()).isEqualTo(new Location(52.4, 4.9));
        assertThat(east.state()).isEqualTo(Cluster.State.ACTIVE);
        assertThat(east.weight()).isEqualTo(50);
        assertThat(east.signaling()).contains(URI.create("https://east.voice.example:8443"));
        ClusterRelay relay = east.relays().getFirst();
        assertThat(relay.publicAddresses()).hasSize(2);
        assertThat(relay.weight()).isEqualTo(70);
        assertThat(relay.legsOf(1))
                .containsExactly(address("10.1.0.4", 3491), address("203.0.113.10", 3491));
        Cluster west = map.find(2).orElseThrow();
        assertThat(west.state()).isEqualTo(Cluster.State.DRAINING);
        assertThat(west.weight()).isEqualTo(100);
        assertThat(west.signaling()).isEmpty();
        assertThat(west.relays().getFirst().workers()).isEqualTo(1);
        assertThat(map.find(3)).isEmpty();
    }

    private static InetSocketAddress address(String host, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(host), port);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id: 2 | id: 1 | line 15: id 1 is that of line 2 already; change one",
                "id: 2 | id: 70000 | line 15: id: \"70000\" is no whole number from 0 to 65535",
                "name: west | name: east | line 16: name east is that of line 3 already; change one",
                "name: west | name: We st | line 16: name: \"We st\" is no name",
                "latitude: 37.4 | latitude: 97 | line 18: latitude: \"97\" is no number from -90 to 90",
                "state: draining | state: sick | line 20: state: \"sick\" is unknown; give one of active, draining, down",
                "state: draining | colour: red | line 20: colour: unknown key; give one of id,",
                "region: us-west | name: west | line 17: name: given twice; keep one",
                "region: us-west | state: active | line 20: state: given twice",
                "legs: 10.2.0.4:3490 | legs: 10.1.0.4:3491 | line 23: leg 10.1.0.4:3491 is that of line 12 already",
                "legs: 10.2.0.4:3490 | legs: relay.example:3490 | line 23: \"relay.example:3490\" is no literal address and port",
                "legs: 10.2.0.4:3490 | legs: 0.0.0.0:3490 | line 23: \"0.0.0.0:3490\" is no literal address",
                "legs: 10.2.0.4:3490 | legs: [] | line 22: legs: has 0; give 1 to 4",
                "workers: 2 | workers: 0 | line 13: workers: \"0\" is no whole number from 1 to 64",
                "https://east.voice.example:8443 | east.voice.example | line 9: signaling: \"east.voice.example\" is no address",
                "clusters: | cluster: | line 1: cluster: unknown key; give one of clusters",
                "weight: 70 | weight: [70] | line 14: is no plain value"
            })
    void refusesWhatIsWrongAndNamesTheLine(String right, String wrong, String message) {
        assertThat(MAP).contains(right);
        assertThatThrownBy(() -> parse(MAP.replace(right, wrong)))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("cluster_map: " + message);
    }

    @Test
    void refusesWhatIsNoMap() {
        assertThatThrownBy(() -> parse(""))
                .hasMessage("cluster_map: line 1: the file is empty; give clusters");
        assertThatThrownBy(() -> parse("clusters: []"))
                .hasMessage("cluster_map: line 1: clusters: has 0; give 1 to 256");
        assertThatThrownBy(() -> parse("clusters:\n  - id: 1\n  name: x: y\n"))
                .hasMessageStartingWith("cluster_map: line 3: is not usable YAML");
        assertThatThrownBy(() -> parse(MAP.replace("    region: us-west\n", "")))
                .hasMessage("cluster_map: line 15: region: missing; give it");
    }

    @Test
    void measuresGreatCircles() {
        Location amsterdam = new Location(52.37, 4.90);
        assertThat(amsterdam.kilometresTo(amsterdam)).isZero();
        assertThat(amsterdam.kilometresTo(new Location(40.71, -74.01)))
                .isCloseTo(5_860, within(30.0));
        assertThat(amsterdam.kilometresTo(new Location(-33.87, 151.21)))
                .isCloseTo(16_640, within(60.0));
        assertThat(new Location(0, 179).kilometresTo(new Location(0, -179)))
                .isCloseTo(222, within(2.0));
    }

    private static ClusterMap parse(String yaml) {
        return ClusterMap.parse("cluster_map", yaml.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void refusesMoreWaysThanRelaysCanLookAfter() {
        StringBuilder map = new StringBuilder("clusters:\n");
        for (int id = 1; id <= 3; id++) {
            map.append("  - {id: %d, name: c%d, region: r, latitude: 0, ".formatted(id, id));
            map.append("longitude: 0, relays: [");
            for (int relay = 0; relay < 256; relay++) {
                map.append("{public: 203.0.113.1:3478, workers: 64, legs: ");
                map.append("10.%d.0.%d:3490},\n".formatted(id, relay));
            }
            map.append("]}\n");
        }
        String tooMany = map.toString();
        assertThatThrownBy(() -> parse(tooMany))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "cluster_map: line 516: legs: are more than 32768, each worker's and each way's"
                                + " counted; give fewer relays, workers or ways");
    }
}
