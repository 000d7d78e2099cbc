package dev.parley.e2e.client;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The system's Chromium, headless, whose microphone plays a WAV file over and over. Owned by one
 * test.
 */
public final class Chromium implements AutoCloseable {
    private static final List<Path> PLACES =
            List.of(
                    Path.of("/usr/bin/chromium"),
                    Path.of("/usr/bin/chromium-browser"),
                    Path.of("/usr/bin/google-chrome"));

    private final Playwright playwright;
    private final Browser browser;

    private Chromium(Playwright playwright, Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    /**
     * Starts the browser.
     *
     * @param microphone WAV file that the fake microphone plays; permission is granted without
     *     asking
     */
    public static Chromium withMicrophone(Path microphone) {
        return start(executable(), microphoneFlags(microphone));
    }

    /**
     * The same in another network.
     *
     * @param launcher program that starts {@link #executable} there with the arguments it is given
     * @param origin without TLS, that may use the microphone all the same
     * @param more flags
     */
    public static Chromium withMicrophone(
            Path microphone, Path launcher, String origin, String... more) {
        List<String> flags = new ArrayList<>(microphoneFlags(microphone));
        flags.addAll(List.of(more));
        flags.add("--unsafely-treat-insecure-origin-as-secure=" + origin);
        return start(launcher, flags);
    }

    private static List<String> microphoneFlags(Path microphone) {
        return List.of(
                "--use-fake-ui-for-media-stream",
                "--use-fake-device-for-media-stream",
                "--use-file-for-fake-audio-capture=" + microphone.toAbsolutePath());
    }

    /** Starts the browser with a microphone that the person at it refuses to share. */
    public static Chromium refusingMicrophone() {
        return start(
                executable(),
                List.of("--use-fake-device-for-media-stream", "--deny-permission-prompts"));
    }

    private static Chromium start(Path executable, List<String> mediaFlags) {
        List<String> flags = new ArrayList<>(mediaFlags);
        flags.addAll(
                List.of(
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--allow-loopback-in-peer-connection",
                        "--autoplay-policy=no-user-gesture-required"));
        // The driver comes with the library; the browser is the system's.
        Playwright playwright =
                Playwright.create(
                        new Playwright.CreateOptions()
                                .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        Browser browser =
                playwright
                        .chromium()
                        .launch(
                                new BrowserType.LaunchOptions()
                                        .setExecutablePath(executable)
                                        .setHeadless(true)
                                        .setArgs(flags));
        return new Chromium(playwright, browser);
    }

    /** The system's Chromium. */
    public static Path executable() {
        return PLACES.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "no Chromium at "
                                                + PLACES
                                                + ": ./parley test installs it"));
    }

    /** Version as the browser says it. */
    public String version() {
        return browser.version();
    }

    /** A page of a fresh profile. */
    public Page openPage(String url, int width, int height) {
        BrowserContext context =
                browser.newContext(new Browser.NewContextOptions().setViewportSize(width, height));
        Page page = context.newPage();
        page.navigate(url);
        return page;
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
