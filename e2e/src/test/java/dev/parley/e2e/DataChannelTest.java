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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chromium's data channels through the whole product, against the agent that echoes. */
class DataChannelTest {
    private static final int OPENS = 100;

    @TempDir private Path folder;

    @Test
    void everyKindOfMessageComesBackInOrderAndChannelsComeAndGo() throws IOException {
        Path microphone = folder.resolve("microphone.wav");
        SpeechSample.caller().write(microphone);
        try (WatchedProduct system = WatchedProduct.start();
                Chromium chromium = Chromium.withMicrophone(microphone);
                Page page = chromium.openPage(system.url(), 800, 600)) {
            Object report =
                    page.evaluate(
                            "o => ("
                                    + script()
                                    + ")({ ...o, RTCPeerConnection, addAudio: async (c) =>"
                                    + " c.addTransceiver('audio') })",
                            Map.of("base", "", "model", "echo", "opens", OPENS));
            JsonObject figures = JsonParser.parseString(String.valueOf(report)).getAsJsonObject();
            System.out.println("Chromium " + chromium.version() + " data channels: " + figures);
            assertThat(figures.get("streams").getAsInt())
                    .as("ids are used again")
                    .isLessThan(OPENS);
        }
    }

    private static String script() throws IOException {
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
