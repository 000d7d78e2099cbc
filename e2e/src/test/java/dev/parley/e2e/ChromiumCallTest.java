package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.client.ChromiumCall;
import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.proto.inference.v1.EndReason;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real browser against the whole product in one process. Its microphone plays known speech over
 * and over; what the stub received and what the browser hears back must be that speech, by {@link
 * Correlation#SAME_SPEECH}.
 */
class ChromiumCallTest {
    /** Once around the sample (7.8 s) wherever the recording begins, and the time to connect. */
    private static final double CALL_SECONDS = 18;

    private static final long END_SECONDS = 10;

    @TempDir private static Path folder;
    private static WatchedProduct system;
    private static Chromium chromium;

    @BeforeAll
    static void start() {
        system = WatchedProduct.start();
        chromium = Chromium.withMicrophone(folder, SpeechSample.caller());
    }

    @AfterAll
    static void stop() {
        chromium.close();
        system.close();
    }

    @BeforeEach
    void forget() {
        system.stub().forget();
    }

    @Test
    void inferenceHearsTheCaller() throws Exception {
        try (Page page = chromium.openPage(system.url(), 800, 600)) {
            ChromiumCall.make(page, "silence", CALL_SECONDS);
        }

        StubRecorder.Call call = system.stub().only();
        assertThat(call.endReason().get(END_SECONDS, TimeUnit.SECONDS))
                .isEqualTo(EndReason.END_REASON_CLIENT_HANGUP);
        assertThat(call.ended().get(END_SECONDS, TimeUnit.SECONDS).getCode())
                .isEqualTo(Status.Code.OK);
        Correlation.Match match = Correlation.of(SpeechSample.caller(), call.heard());
        System.out.printf(
                Locale.ROOT,
                "Chromium %s -> stub: %s over %.1f s in %d messages%n",
                chromium.version(),
                match,
                call.heard().seconds(),
                call.messages());
        assertThat(match.score()).isGreaterThan(Correlation.SAME_SPEECH);
        assertThat(call.gaps()).as("messages dropped on the way to the stub").isZero();
        assertThat(call.backwardSteps()).as("steps back in time").isZero();
        assertThat(call.heard().seconds()).isGreaterThan(CALL_SECONDS - 2);
    }

    @Test
    void callerHearsTheEcho() {
        ChromiumCall call;
        try (Page page = chromium.openPage(system.url(), 800, 600)) {
            call = ChromiumCall.make(page, "echo", CALL_SECONDS);
        }

        Correlation.Match match = Correlation.of(SpeechSample.caller(), call.heard());
        System.out.printf(
                Locale.ROOT,
                "Chromium %s <- echo: %s; answer after %.0f ms, connected after %.0f ms; %s%n",
                chromium.version(),
                match,
                call.millis("signalingMillis"),
                call.millis("connectedMillis"),
                call.stats());
        assertThat(match.score()).isGreaterThan(Correlation.SAME_SPEECH);
        assertThat(call.states()).contains("track of 1 stream", "connected");
        assertThat(call.location()).matches("/v1/realtime/calls/rtc_[A-Za-z0-9_-]+");
        assertThat(call.hangupStatus()).isEqualTo(200);

        double packets = 50 * CALL_SECONDS;
        assertThat(call.stat("outbound-rtp", "packetsSent")).isGreaterThan(0.9 * packets);
        assertThat(call.stat("inbound-rtp", "packetsReceived")).isGreaterThan(0.9 * packets);
        assertThat(call.stat("inbound-rtp", "packetsLost")).isZero();
        assertThat(call.stat("remote-inbound-rtp", "packetsLost")).isZero();
        assertThat(call.statText("transport", "srtpCipher")).matches(SrtpSuites.NEGOTIABLE);
        assertThat(call.statText("remoteCandidate", "address")).isEqualTo("127.0.0.1");
        assertThat(call.stat("remoteCandidate", "port")).isEqualTo(system.relayPort());
    }

    @Test
    void offersOfLaterCallsFromOnePageWorkToo() {
        try (Page page = chromium.openPage(system.url(), 800, 600)) {
            for (int i = 0; i < 3; i++) {
                ChromiumCall call = ChromiumCall.make(page, "tone", 2);
                assertThat(call.stat("inbound-rtp", "packetsReceived")).isGreaterThan(50);
                assertThat(call.hangupStatus()).isEqualTo(200);
            }
        }
    }
}
