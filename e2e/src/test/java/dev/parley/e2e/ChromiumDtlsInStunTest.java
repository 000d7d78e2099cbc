package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.client.ChromiumCall;
import dev.parley.e2e.client.SpeechSample;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real browser that carries DTLS in its checks, which it has behind a switch. */
class ChromiumDtlsInStunTest {
    private static final String SWITCH = "--force-fieldtrials=WebRTC-IceHandshakeDtls/Enabled/";
    private static final String COUNTER = "parley_transceiver_dtls_in_stun_total";
    private static final String SAYS = "a=ice-options:sped\r\n";

    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void dtlsComesInChecksWhereThatIsOnAndNowhereElse(boolean on) throws Exception {
        ChromiumCall call;
        double received;
        double sent;
        try (FourProcesses services =
                        FourProcesses.start(folder, List.of(), "127.0.0.1", "sped: " + on);
                Chromium chromium =
                        Chromium.withMicrophone(
                                folder, SpeechSample.caller(), List.of(), List.of(SWITCH));
                Page page = chromium.openPage(services.base().toString(), 800, 600)) {
            call = ChromiumCall.make(page, "tone", 2);
            received = count(services, "received");
            sent = count(services, "sent");
        }

        assertThat(call.stat("inbound-rtp", "packetsReceived")).isGreaterThan(50);
        assertThat(call.stat("outbound-rtp", "packetsSent")).isGreaterThan(50);
        assertThat(call.report().get("answer").getAsString().contains(SAYS)).isEqualTo(on);
        if (on) {
            assertThat(received).isPositive();
        } else {
            // What it puts into its first check all the same is not looked at, nor answered.
            assertThat(received + sent).isZero();
        }
    }

    private static double count(FourProcesses services, String direction)
            throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(
                                            services.operations("transceiver").resolve("/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(COUNTER) && line.contains(direction))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                    .sum();
        }
    }
}
