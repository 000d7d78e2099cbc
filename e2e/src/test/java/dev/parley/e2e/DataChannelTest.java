package dev.parley.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.microsoft.playwright.Page;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.client.SpeechSample;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chromium's data channels through the whole product, against the agent that echoes. */
class DataChannelTest {
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

    @Test
    void everyKindOfMessageComesBackInOrderAndChannelsComeAndGo() throws IOException {
        JsonObject figures = run("c => c.addTransceiver('audio')", 100);
        assertThat(figures.get("streams").getAsInt()).as("ids are used again").isLessThan(100);
    }

    @Test
    void theSameWorksOnAConnectionWithoutAudio() throws IOException {
        JsonObject figures = run("() => {}", 1_000);
        assertThat(figures.get("streams").getAsInt()).as("ids are used again").isLessThan(100);
    }

    private static JsonObject run(String addAudio, int opens) throws IOException {
        try (Page page = chromium.openPage(system.url(), 800, 600)) {
            Object report =
                    page.evaluate(
                            "o => ("
                                    + script()
                                    + ")({ ...o, RTCPeerConnection, addAudio: "
                                    + addAudio
                                    + " })",
                            Map.of("base", "", "model", "echo", "opens", opens));
            System.out.println("Chromium " + chromium.version() + " data channels: " + report);
            return JsonParser.parseString(String.valueOf(report)).getAsJsonObject();
        }
    }

    static String script() throws IOException {
        try (InputStream script =
                DataChannelTest.class.getResourceAsStream("client/datachannels.js")) {
            if (script == null) {
                throw new IllegalStateException("no datachannels.js");
            }
            String text = new String(script.readAllBytes(), UTF_8);
            // The comment before the function is no expression.
            return text.substring(text.indexOf("async ("));
        }
    }
}
