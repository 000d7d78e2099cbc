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
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    @TempDir private Path folder;
    private FourProcesses services;

    @BeforeEach
    void start() {
        services = FourProcesses.start(folder);
    }

    @AfterEach
    void stop() {
        services.close();
    }

    @Test
    void libwebrtcHearsItsOwnWordsAndEveryProcessStopsCleanly() throws Exception {
        Wav words = SpeechSample.caller();
        try (LibwebrtcCaller caller = LibwebrtcCaller.call(services.base(), "echo")) {
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
            assertThat(stats.remoteAddress()).isEqualTo(services.relayAddress());
            assertThat(stats.srtpCipher()).matches(SrtpSuites.NEGOTIABLE);
            assertThat(stats.packetsSent()).isGreaterThan(350);
            assertThat(stats.packetsReceived()).isGreaterThan(350);
            assertThat(stats.packetsLost()).isZero();
            assertThat(caller.hangUp()).isEqualTo(200);
            caller.awaitDisconnected(Duration.ofSeconds(10));
            assertThat(caller.hangUp()).as("the call is gone").isEqualTo(404);
        }
        for (ChildProcess process : services.all()) {
            process.terminate();
            assertThat(process.awaitExit()).as(String.join("\n", process.output())).isZero();
        }
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
