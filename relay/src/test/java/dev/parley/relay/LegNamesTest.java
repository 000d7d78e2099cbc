package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.runtime.cluster.ClusterMap;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class LegNamesTest {
    private static final InetSocketAddress ANY = at("0.0.0.0", 3491);
    private static final InetAddress LOCAL = InetAddress.ofLiteral("10.1.0.4");

    private final ClusterMap map =
            ClusterMap.parse(
                    "map",
                    """
                    clusters:
                      - {id: 1, name: own, region: a, latitude: 0, longitude: 0, relays: [
                          {public: 203.0.113.10:3478, legs: [10.1.0.4:3490, 203.0.113.10:3490], workers: 2},
                          {public: 203.0.113.11:3478, legs: 10.1.0.5:3490, workers: 2}]}
                    """
                            .getBytes(StandardCharsets.UTF_8));

    private static InetSocketAddress at(String host, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(host), port);
    }

    private static int name(String host, int port) {
        return LegPlan.name(at(host, port));
    }

    private LegNames names(List<InetSocketAddress> reached) {
        return LegNames.of(map, 1, reached);
    }

    @Test
    void aWorkerIsWhatTheMapHasAtItsMachinesAddressAndItsPort() {
        LegNames names = names(LegNames.reached(ANY, List.of(LOCAL), List.of(), 1));
        assertThat(names.own()).isEqualTo(name("10.1.0.4", 3491));
        assertThat(names.has(name("10.1.0.4", 3491))).isTrue();
        assertThat(names.has(name("203.0.113.10", 3491))).as("its other way").isTrue();
        assertThat(names.has(name("10.1.0.4", 3490))).as("another worker").isFalse();
        assertThat(names.has(name("10.1.0.5", 3491))).as("another relay").isFalse();
    }

    @Test
    void whatTheMachineDoesNotKnowOfItselfIsAdvertised() {
        InetAddress hidden = InetAddress.ofLiteral("172.16.0.1");
        assertThat(names(LegNames.reached(ANY, List.of(hidden), List.of(), 1)).own()).isZero();
        LegNames names =
                names(LegNames.reached(ANY, List.of(hidden), List.of(at("203.0.113.10", 3490)), 1));
        assertThat(names.own()).isEqualTo(name("10.1.0.4", 3491));
        assertThat(names.has(name("203.0.113.10", 3491))).isTrue();
    }

    @Test
    void whereItIsReachedIsItsNameBeforeItsMapSaysSo() {
        LegNames names = names(List.of(at("10.1.0.9", 3490)));
        assertThat(names.own()).isZero();
        assertThat(names.has(name("10.1.0.9", 3490))).isTrue();
        assertThat(names.has(0)).isFalse();
    }

    @Test
    void aSocketOfOneAddressIsReachedThereAlone() {
        assertThat(LegNames.reached(at("10.1.0.5", 3490), List.of(LOCAL), List.of(), 0))
                .containsExactly(at("10.1.0.5", 3490));
    }
}
