package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.app.ProcessConfig;
import dev.parley.inferencestub.InferenceStubConfig;
import dev.parley.relay.RelayConfig;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.signaling.SignalingConfig;
import dev.parley.transceiver.TransceiverConfig;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What someone sees who starts the product wrongly: one line that names what to mend, and a failure
 * to exit with.
 */
class StartUpErrorsTest {
    @TempDir private Path folder;

    @Test
    void upNamesTheFlagOfAnHttpPortInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(
                            errorOf(
                                    "up",
                                    "--udp",
                                    "0",
                                    "--http",
                                    Integer.toString(taken.getLocalPort())))
                    .contains("127.0.0.1:" + taken.getLocalPort(), "--http");
        }
    }

    @Test
    void upNamesTheFlagOfAUdpPortInUse() throws IOException {
        try (DatagramSocket taken =
                new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            assertThat(
                            errorOf(
                                    "up",
                                    "--http",
                                    "0",
                                    "--udp",
                                    Integer.toString(taken.getLocalPort())))
                    .contains("127.0.0.1:" + taken.getLocalPort(), "--udp");
        }
    }

    @Test
    void upNamesAPublicAddressThatIsNotThisMachines() throws IOException {
        // RFC 5737: an address for documentation, which no machine has.
        assertThat(errorOf("up", "--http", "0", "--udp", "0", "--public-address", "192.0.2.1"))
                .contains("192.0.2.1", "--public-address");
    }

    @Test
    void aServiceNamesAnUnknownKeyAndTheNearestKnownOne() throws IOException {
        Path file = folder.resolve("relay.yaml");
        Files.writeString(file, "public_adresses: 127.0.0.1:0\ntransceiver_cidrs: 127.0.0.0/8\n");

        assertThat(errorOf("relay", "--config", file.toString()))
                .contains("public_adresses", "public_addresses");
    }

    @Test
    void aServiceNamesAMissingFile() throws IOException {
        Path file = folder.resolve("none.yaml");

        assertThat(errorOf("signaling", "--config", file.toString())).contains(file.toString());
    }

    @Test
    void everySampleConfigIsUsable() {
        Path samples = Path.of("..", "app", "config");

        assertThat(load(RelayConfig.class, samples.resolve("relay.yaml"))).isNotNull();
        assertThat(load(TransceiverConfig.class, samples.resolve("transceiver.yaml"))).isNotNull();
        assertThat(load(SignalingConfig.class, samples.resolve("signaling.yaml"))).isNotNull();
        assertThat(load(InferenceStubConfig.class, samples.resolve("inference-stub.yaml")))
                .isNotNull();
    }

    // As a process does: what every process can be told stands in the same file.
    private static <C extends Record> C load(Class<C> type, Path file) {
        assertThat(ConfigLoader.loadBeside(ProcessConfig.class, type, file)).isNotNull();
        return ConfigLoader.loadBeside(type, ProcessConfig.class, file);
    }

    private static String errorOf(String... words) {
        try (ChildProcess process = ChildProcess.parley(words)) {
            int exit = process.awaitExit();
            List<String> errors =
                    process.output().stream().filter(line -> line.startsWith("parley: ")).toList();
            assertThat(exit).as(String.join("\n", process.output())).isNotZero();
            assertThat(errors).as(String.join("\n", process.output())).hasSize(1);
            assertThat(process.output()).noneMatch(line -> line.startsWith("\tat "));
            return errors.getFirst();
        }
    }
}
