package dev.parley.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.client.Wav;
import dev.parley.e2e.lab.Lab;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The local overlay, run as it stands. */
class ClusterCallTest {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    @TempDir private Path folder;

    @BeforeEach
    void needsNamespaces() throws IOException {
        assumeThat(Lab.obstacle()).isEmpty();
        Command.run("nft", "--version");
        Command.run("redis-server", "--version");
    }

    @Test
    void aCallWorksAndPoliciesHold() throws Exception {
        try (Cluster cluster = Cluster.start(folder, Manifests.rendered("local"))) {
            Wav words = SpeechSample.caller();
            try (LibwebrtcCaller caller = LibwebrtcCaller.call(cluster.base(), "echo")) {
                caller.awaitConnected(CONNECT_TIMEOUT);
                caller.say(words).join();
                caller.listen(Duration.ofSeconds(1));
                assertThat(Correlation.of(words, caller.heard()).score())
                        .as(cluster.logs())
                        .isGreaterThan(Correlation.SAME_SPEECH);
                assertThat(caller.stats().remoteAddress()).isEqualTo(NodeNetwork.NODE + ":3478");
                assertThat(caller.hangUp()).isEqualTo(200);
            }
            assertThat(cluster.reaches("signaling", "transceiver", 7300)).isTrue();
            assertThat(cluster.reaches("signaling", "redis", 6379)).isFalse();
            assertThat(cluster.reaches("signaling", "inference", 7400)).isFalse();
            assertThat(cluster.reaches("inference", "transceiver", 7300)).isFalse();
        }
    }
}
