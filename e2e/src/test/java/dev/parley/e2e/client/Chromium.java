package dev.parley.e2e.client;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
     * @param folder for its files
     * @param said what the microphone plays; permission is granted without asking
     */
    public static Chromium withMicrophone(Path folder, Wav said) {
        return withMicrophone(folder, said, List.of(), List.of());
    }

    /**
     * The same with more flags, and elsewhere.
     *
     * @param prefix words in front of its command line, such as a namespace to run it in
     */
    public static Chromium withMicrophone(
            Path folder, Wav said, List<String> prefix, List<String> more) {
        Path microphone = folder.resolve("microphone.wav");
        said.write(microphone);
        List<String> flags = new ArrayList<>(more);
        flags.add("--use-fake-ui-for-media-stream");
        flags.add("--use-fake-device-for-media-stream");
        flags.add("--use-file-for-fake-audio-capture=" + microphone.toAbsolutePath());
        return start(prefix.isEmpty() ? executable() : launcher(folder, prefix), flags);
    }

    private static Path launcher(Path folder, List<String> prefix) {
        Path launcher = folder.resolve("chromium");
        String command = String.join(" ", prefix) + " " + executable();
        try {
            Files.writeString(launcher, "#!/bin/sh\nexec " + command + " \"$@\"\n");
            Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
            return launcher;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
