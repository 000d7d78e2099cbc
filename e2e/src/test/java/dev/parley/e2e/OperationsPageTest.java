package dev.parley.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import dev.parley.app.AllInOne;
import dev.parley.app.UpOptions;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.otel.AdminServer;
import dev.parley.otel.Telemetry;
import dev.parley.otel.TelemetrySettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The operations page as a developer uses it. Each state is kept as a picture in target/pictures.
 */
class OperationsPageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final LocatorAssertions.ContainsTextOptions PATIENT =
            new LocatorAssertions.ContainsTextOptions().setTimeout(60_000);

    @TempDir private Path folder;

    @Test
    void aDeveloperFindsACallAndReadsItsStory() {
        try (Telemetry telemetry = Telemetry.start("up", Map.of(), TelemetrySettings.LOCAL);
                AdminServer admin =
                        AdminServer.start(
                                telemetry,
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                AllInOne system =
                        AllInOne.start(
                                new UpOptions(0, 0, List.of(InetAddress.getLoopbackAddress())),
                                telemetry);
                LibwebrtcCaller caller = LibwebrtcCaller.call(URI.create(system.url()), "echo");
                Chromium chromium = Chromium.withMicrophone(folder, SpeechSample.caller());
                Page page =
                        chromium.openPage(
                                "http://127.0.0.1:"
                                        + Objects.requireNonNull(admin.findAddress()).getPort(),
                                1280,
                                900)) {
            var _ = caller.awaitConnected(PATIENCE);
            caller.say(SpeechSample.caller()).join();
            assertThat(page.locator("#views")).containsText("sessions", PATIENT);
            assertThat(page.locator("#views")).containsText("connected", PATIENT);
            assertThat(page.locator("#counts")).containsText("parley.relay.forwards", PATIENT);
            picture(page, "operations");
            page.locator("#views a").first().click();
            for (String span :
                    List.of(
                            "POST /v1/realtime/calls",
                            "parley.call",
                            "parley.relay.flow",
                            "parley.dtls",
                            "parley.inference.v1.VoiceAgent/Converse",
                            "parley.response")) {
                assertThat(page.locator("#rows")).containsText(span, PATIENT);
            }
            assertThat(page.locator("#legend")).containsText("parley-relay", PATIENT);
            page.locator(".row", new Page.LocatorOptions().setHasText("parley.call"))
                    .first()
                    .click();
            assertThat(page.locator("dl").first()).containsText("gen_ai.request.model", PATIENT);
            picture(page, "timeline");
        }
    }

    @Test
    void onePageShowsACallOfFourProcesses() {
        try (FourProcesses services = FourProcesses.start(folder);
                LibwebrtcCaller caller = LibwebrtcCaller.call(services.base(), "echo");
                Chromium chromium = Chromium.withMicrophone(folder, SpeechSample.sentence());
                Page page =
                        chromium.openPage(services.operations("signaling").toString(), 1280, 900)) {
            var _ = caller.awaitConnected(PATIENCE);
            caller.say(SpeechSample.sentence()).join();
            page.locator("#calls a").first().click();
            for (String service :
                    List.of(
                            "parley-signaling",
                            "parley-transceiver",
                            "parley-relay",
                            "parley-inference-stub")) {
                assertThat(page.locator("#legend")).containsText(service, PATIENT);
            }
            assertThat(page.locator("#rows")).containsText("parley.response", PATIENT);
            picture(page, "timeline-of-four-processes");
        }
    }

    private static void picture(Page page, String name) {
        page.screenshot(
                new Page.ScreenshotOptions()
                        .setFullPage(true)
                        .setPath(Path.of("target/pictures/" + name + ".png")));
    }
}
