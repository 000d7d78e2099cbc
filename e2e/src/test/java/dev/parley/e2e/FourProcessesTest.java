package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.e2e.client.CallStats;
import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.client.Wav;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The four services as four processes, called by libwebrtc: an independent client in an independent
 * deployment.
 */
class FourProcessesTest {
    private static final String ROUTE_KEY = "00112233445566778899aabbccddeeff";
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    @TempDir private Path folder;
    private ChildProcess stub;
    private ChildProcess transceiver;
    private ChildProcess relay;
    private ChildProcess signaling;
    private String relayAddress;
    private URI base;

    @BeforeEach
    void start() throws IOException {
        stub = service("inference-stub", "grpc_address: 127.0.0.1:0");
        String stubAddress = addressOf(stub);
        transceiver =
                service(
                        "transceiver",
                        """
                        media_address: 127.0.0.1:0
                        control_address: 127.0.0.1:0
                        relay_cidrs: [127.0.0.0/8]
                        cluster_id: 7
                        route_key_id: 5
                        route_keys: {5: %s}
                        backends: {"*": "%s"}
                        """
                                .formatted(ROUTE_KEY, stubAddress));
        relay =
                service(
                        "relay",
                        """
                        public_addresses: [127.0.0.1:0]
                        upstream_address: 127.0.0.1:0
                        transceiver_cidrs: [127.0.0.0/8]
                        cluster_id: 7
                        route_keys: {5: %s, 4: ffeeddccbbaa99887766554433221100}
                        """
                                .formatted(ROUTE_KEY));
        relayAddress = addressOf(relay);
        signaling =
                service(
                        "signaling",
                        """
                        http_address: 127.0.0.1:0
                        transceivers: ["%s"]
                        relay_addresses: ["%s"]
                        call_id_key: 0123456789abcdef0123456789abcdef
                        """
                                .formatted(addressOf(transceiver), relayAddress));
        base = URI.create("http://" + addressOf(signaling));
    }

    @AfterEach
    void stop() {
        for (ChildProcess process : new ChildProcess[] {signaling, relay, transceiver, stub}) {
            if (process != null) {
                process.close();
            }
        }
    }

    @Test
    void libwebrtcHearsItsOwnWordsAndEveryProcessStopsCleanly() throws Exception {
        Wav words = SpeechSample.caller();
        try (LibwebrtcCaller caller = LibwebrtcCaller.call(base, "echo")) {
            LibwebrtcCaller.Setup setup = caller.awaitConnected(CONNECT_TIMEOUT);
            caller.say(words).join();
            caller.listen(Duration.ofSeconds(1));
            Correlation.Match match = Correlation.of(words, caller.heard());
            CallStats stats = caller.stats();
            String described = get(caller.location());
            System.out.printf(
                    Locale.ROOT,
                    "libwebrtc, four processes <- echo: %s; %s; %s%nset-up as the edge saw it: %s%n",
                    match,
                    setup,
                    stats,
                    described);

            assertThat(match.score()).isGreaterThan(Correlation.SAME_SPEECH);
            assertThat(stats.remoteAddress()).isEqualTo(relayAddress);
            assertThat(stats.srtpCipher()).matches(SrtpSuites.NEGOTIABLE);
            assertThat(stats.packetsSent()).isGreaterThan(350);
            assertThat(stats.packetsReceived()).isGreaterThan(350);
            assertThat(stats.packetsLost()).isZero();
            assertThat(caller.hangUp()).isEqualTo(200);
            caller.awaitDisconnected(Duration.ofSeconds(10));
            assertThat(caller.hangUp()).as("the call is gone").isEqualTo(404);
        }
        for (ChildProcess process : new ChildProcess[] {signaling, relay, transceiver, stub}) {
            process.terminate();
            assertThat(process.awaitExit()).as(String.join("\n", process.output())).isZero();
        }
    }

    private ChildProcess service(String name, String yaml) throws IOException {
        Path file = folder.resolve(name + ".yaml");
        Files.writeString(file, yaml);
        ChildProcess process = ChildProcess.parley(name, "--config", file.toString());
        process.awaitReady();
        return process;
    }

    /** From the line "ready NAME ADDRESS". */
    private static String addressOf(ChildProcess process) {
        String line = process.awaitReady();
        return line.substring(line.lastIndexOf(' ') + 1);
    }

    private static String get(URI location) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(location).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
