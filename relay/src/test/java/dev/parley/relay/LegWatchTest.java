package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.runtime.config.ConfigLoader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LegWatchTest {
    private static final InetSocketAddress BOUND =
            new InetSocketAddress(InetAddress.ofLiteral("10.1.0.4"), 3490);

    @TempDir private Path folder;

    private String problem(String relay) throws IOException {
        Path map =
                Files.writeString(
                        folder.resolve("map.yaml"),
                        """
                        clusters:
                          - {id: 1, name: own, region: a, latitude: 0, longitude: 0, relays: [%s]}
                        """
                                .formatted(relay));
        RelayConfig config =
                ConfigLoader.of(
                        RelayConfig.class,
                        Map.of(
                                "public_addresses", "203.0.113.10:3478",
                                "workers", "1",
                                "transceiver_cidrs", "10.0.0.0/8",
                                "cluster_id", "1",
                                "cluster_map", map.toString(),
                                "leg_keys", "4=" + Checks.KEY_HEX,
                                "leg_key_id", "4",
                                "route_keys", "3=" + Checks.KEY_HEX));
        try (LegWatch watch = LegWatch.of(config)) {
            watch.start(List.of(new LegWatch.Worker(TwoClusters.legs(1, 1), BOUND)));
            return watch.problem();
        }
    }

    @Test
    void tellsWhatTheMapHasWrongOfThisRelay() throws IOException {
        assertThat(problem("{public: '203.0.113.10:3478', legs: '10.1.0.4:3490'}")).isEmpty();
        assertThat(problem("{public: '203.0.113.10:3478', legs: '10.1.0.5:3490'}"))
                .isEqualTo(
                        "cluster_map: has no relay of cluster 1 whose worker 0 is at this machine's"
                                + " addresses and port 3490; other clusters do not find it. Add it,"
                                + " or give advertised_leg_addresses");
        assertThat(problem("{public: '203.0.113.10:3478', legs: '10.1.0.4:3490', workers: 3}"))
                .isEqualTo(
                        "cluster_map: gives this relay 3 workers, it has 1; make them the same, or"
                                + " packets go where nobody is");
        assertThat(problem("{public: '203.0.113.11:3478', legs: '10.1.0.4:3490'}"))
                .startsWith(
                        "cluster_map: does not have this relay's public address 203.0.113.10:3478");
    }
}
