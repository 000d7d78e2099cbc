package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.e2e.drill.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a relay's process ends when it is told to: once is enough, in order. */
class StopTest {
    private static final int READY = 200;

    @TempDir private Path folder;
    private final int healthPort = FreePorts.next();

    @Test
    void theFirstSigtermEndsTheProcessInOrder() throws IOException, InterruptedException {
        try (ChildProcess relay = relay()) {
            assertThat(readiness()).isEqualTo(READY);
            relay.terminate();
            assertThat(relay.awaitExit()).isZero();
            assertThat(relay.output()).anyMatch(line -> line.contains("relay stopped"));
            assertThat(readiness()).isZero();
        }
    }

    private ChildProcess relay() throws IOException {
        Path config = folder.resolve("relay.yaml");
        Files.writeString(
                config,
                """
                public_addresses: 127.0.0.1:0
                upstream_address: 127.0.0.1:0
                health_address: 127.0.0.1:%d
                transceiver_cidrs: 127.0.0.0/8
                route_keys: {1: 000102030405060708090a0b0c0d0e0f}
                """
                        .formatted(healthPort));
        ChildProcess relay = ChildProcess.parley("relay", "--config", config.toString());
        var _ = relay.awaitReady();
        return relay;
    }

    /** The status of the relay's readiness; 0 when it does not answer. */
    private int readiness() throws InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI address = URI.create("http://127.0.0.1:" + healthPort + "/readyz");
            return client.send(
                            HttpRequest.newBuilder(address).build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException _) {
            return 0;
        }
    }
}
