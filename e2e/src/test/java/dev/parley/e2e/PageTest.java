package dev.parley.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.client.Wav;
import dev.parley.proto.inference.v1.EndReason;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page at / as a person uses it. Each state is kept as a picture in target/pictures. */
class PageTest {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 900;
    private static final long END_SECONDS = 10;
    private static final double PAUSE_SECONDS = 1.5;
    private static final LocatorAssertions.ContainsTextOptions PATIENT =
            new LocatorAssertions.ContainsTextOptions().setTimeout(30_000);

    private static final LocatorAssertions.IsEnabledOptions ENABLED =
            new LocatorAssertions.IsEnabledOptions().setTimeout(30_000);

    @TempDir private static Path folder;
    private static Wav said;
    private static WatchedProduct system;

    @BeforeAll
    static void start() {
        // A sentence, over and over; in each pause the parrot begins to say it back.
        Wav sentence = SpeechSample.sentence();
        int pause = (int) (sentence.sampleRateHz() * PAUSE_SECONDS);
        short[] spoken = sentence.samples();
        said = new Wav(sentence.sampleRateHz(), Arrays.copyOf(spoken, spoken.length + pause));
        system = WatchedProduct.start();
    }

    @AfterAll
    static void stop() {
        system.close();
    }

    @BeforeEach
    void forget() {
        system.stub().forget();
    }

    @Test
    void aPersonConnectsIsAnsweredAndHangsUp() throws Exception {
        try (Chromium chromium = Chromium.withMicrophone(folder, said);
                Page page = chromium.openPage(system.url(), WIDTH, HEIGHT)) {
            List<String> complaints = complaintsOf(page);
            picture(page, "idle");
            page.locator("#connect").click();
            assertThat(page.locator("#phase")).containsText("Live", PATIENT);
            for (String stat : List.of("setup", "rtt", "jitter", "loss", "up", "down")) {
                assertThat(page.locator("[data-stat=" + stat + "]"))
                        .containsText(Pattern.compile("[0-9]"), PATIENT);
            }
            assertThat(page.locator("[data-stat=codec]"))
                    .containsText("Opus", PATIENT.setIgnoreCase(true));
            // The parrot answers: its meter leaves the floor.
            page.waitForFunction(
                    "() => Number(document.querySelector('#agent-level').getAttribute('aria-valuenow')) > -40",
                    null,
                    new Page.WaitForFunctionOptions().setTimeout(30_000));
            // What was understood and said, and that the caller, who goes on, has cut in.
            assertThat(page.locator("#events")).containsText("session.created", PATIENT);
            assertThat(page.locator("#conversation")).containsText("(heard", PATIENT);
            assertThat(page.locator("#conversation")).containsText("(said", PATIENT);
            assertThat(page.locator("#conversation")).containsText("You cut in after", PATIENT);
            picture(page, "connected");
            page.setViewportSize(390, 844);
            picture(page, "connected-narrow");
            page.locator("#connect").click();
            assertThat(page.locator("#connect")).containsText("Connect", PATIENT);
            assertThat(system.stub().only().endReason().get(END_SECONDS, TimeUnit.SECONDS))
                    .isEqualTo(EndReason.END_REASON_CLIENT_HANGUP);
            picture(page, "after");
            assertThat(complaints).isEmpty();
        }
    }

    @Test
    void whatIsWrittenReachesTheAgentAndItsAnswerIsShown() {
        try (Chromium chromium = Chromium.withMicrophone(folder, said);
                Page page = chromium.openPage(system.url(), 1_100, HEIGHT)) {
            List<String> complaints = complaintsOf(page);
            page.locator("input[value=echo]").check();
            page.locator("#connect").click();
            assertThat(page.locator("#message")).isEnabled(ENABLED);
            page.locator("#message").fill("Hello, <b>echo</b>");
            page.locator("#message").press("Enter");
            assertThat(page.locator("#conversation .you")).containsText("Hello, <b>echo</b>");
            assertThat(page.locator("#conversation .agent"))
                    .containsText("Hello, <b>echo</b>", PATIENT);
            assertThat(page.locator("#events")).containsText("→ text");
            assertThat(page.locator("#events")).containsText("← text");
            // No figure runs out of its box.
            assertThat(page.locator("[data-stat=srtp]"))
                    .containsText(Pattern.compile("[A-Z]"), PATIENT);
            assertThat(
                            page.evaluate(
                                    "() => [...document.querySelectorAll('.strip dl > div')].every("
                                            + "box => box.scrollWidth <= box.clientWidth)"))
                    .isEqualTo(true);
            picture(page, "written");
            page.setViewportSize(390, 844);
            picture(page, "written-narrow");
            page.locator("#connect").click();
            assertThat(page.locator("#message")).isDisabled();
            assertThat(complaints).isEmpty();
        }
    }

    @Test
    void leavingThePageEndsTheCall() throws Exception {
        try (Chromium chromium = Chromium.withMicrophone(folder, said);
                Page page = chromium.openPage(system.url(), WIDTH, HEIGHT)) {
            page.locator("#connect").click();
            assertThat(page.locator("#phase")).containsText("Live", PATIENT);
            page.navigate("about:blank");

            assertThat(system.stub().only().endReason().get(END_SECONDS, TimeUnit.SECONDS))
                    .isEqualTo(EndReason.END_REASON_CLIENT_HANGUP);
        }
    }

    @Test
    void aRefusedMicrophoneIsToldInPlainWords() {
        try (Chromium chromium = Chromium.refusingMicrophone();
                Page page = chromium.openPage(system.url(), WIDTH, HEIGHT)) {
            page.locator("#connect").click();
            Locator problem = page.locator("#problem");
            assertThat(problem).containsText("microphone", PATIENT.setIgnoreCase(true));
            assertThat(page.locator("#connect")).isEnabled();
            picture(page, "refused");
        }
    }

    private static List<String> complaintsOf(Page page) {
        List<String> complaints = new CopyOnWriteArrayList<>();
        page.onPageError(complaints::add);
        page.onConsoleMessage(
                message -> {
                    if (message.type().equals("error") || message.type().equals("warning")) {
                        complaints.add(message.text());
                    }
                });
        return complaints;
    }

    private static void picture(Page page, String name) {
        var _ =
                page.screenshot(
                        new Page.ScreenshotOptions()
                                .setPath(Path.of("target", "pictures", name + ".png"))
                                .setFullPage(true));
    }
}
