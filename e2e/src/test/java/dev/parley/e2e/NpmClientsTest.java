package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.microsoft.playwright.Page;
import com.sun.net.httpserver.HttpServer;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.proto.inference.v1.EndReason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that others wrote, in a real browser, on a page of another origin than signaling's: npm
 * packages that {@code ./parley interop} and {@code ./parley test} install and bundle.
 */
class NpmClientsTest {
    private static final Path BUNDLES = Path.of("target", "interop", "dist");
    private static final long END_SECONDS = 10;
    private static final String DONE = "response.done";

    @TempDir private static Path folder;
    private static WatchedProduct system;
    private static Chromium chromium;

    @BeforeAll
    static void start() {
        assumeTrue(
                Files.isDirectory(BUNDLES),
                "the npm clients are not installed: ./parley interop does it, with node and npm");
        system = WatchedProduct.start();
        chromium = Chromium.withMicrophone(folder, SpeechSample.caller());
    }

    @AfterAll
    static void stop() {
        if (chromium != null) {
            chromium.close();
            system.close();
        }
    }

    @BeforeEach
    void forget() {
        system.stub().forget();
    }

    @Test
    void whipWhepTricklesRestartsAndEnds() throws Exception {
        JsonObject report = run("whip-whep");

        assertThat(statuses(report, "POST", "/whip/")).containsExactly(201);
        assertThat(statuses(report, "PATCH", "/whip/")).contains(204, 200).doesNotContain(412);
        assertThat(statuses(report, "DELETE", "/whip/")).containsExactly(200);
        assertEnded();
    }

    @Test
    void eyevinnWhipWebClientCallsAndEnds() throws Exception {
        JsonObject report = run("eyevinn");

        assertThat(statuses(report, "OPTIONS", "/whip/")).containsExactly(204, 204);
        assertThat(statuses(report, "POST", "/whip/")).containsExactly(201);
        assertThat(statuses(report, "PATCH", "/whip/")).isNotEmpty().containsOnly(204);
        assertThat(statuses(report, "DELETE", "/whip/")).containsExactly(200);
        assertEnded();
    }

    @Test
    void openaiGetsASecretAndHangsUp() throws Exception {
        JsonObject report = run("openai");

        assertThat(report.get("secret").getAsString()).startsWith("ek_");
        assertThat(report.get("call").getAsString()).startsWith("rtc_");
        assertThat(statuses(report, "post", "/v1/realtime/client_secrets")).containsExactly(200);
        assertThat(statuses(report, "post", "/hangup")).containsExactly(200);
        assertEnded();
    }

    @Test
    void agentsRealtimeTalksIsInterruptedAndUsesATool() throws Exception {
        JsonObject report = run("agents-realtime");

        assertThat(report.getAsJsonArray("errors")).isEmpty();
        assertThat(report.get("callId").getAsString()).startsWith("rtc_");
        assertThat(report.getAsJsonArray("asked").toString()).isEqualTo("[{\"city\":\"Bonn\"}]");
        assertThat(types(report))
                .startsWith("session.created")
                .containsSubsequence(
                        "session.updated",
                        DONE,
                        "output_audio_buffer.stopped",
                        "input_audio_buffer.speech_started",
                        "input_audio_buffer.speech_stopped",
                        "input_audio_buffer.committed",
                        "conversation.item.added",
                        "response.created",
                        "output_audio_buffer.started",
                        "input_audio_buffer.speech_started",
                        "output_audio_buffer.cleared",
                        "conversation.item.truncated",
                        "response.function_call_arguments.done",
                        "response.created",
                        "output_audio_buffer.stopped");
        assertThat(
                        report.getAsJsonArray("events").asList().stream()
                                .map(JsonElement::getAsJsonObject)
                                .filter(each -> each.get("type").getAsString().equals(DONE))
                                .map(each -> each.get("status").getAsString()))
                .containsExactly("completed", "cancelled", "completed", "completed");
        assertThat(report.getAsJsonArray("history").toString())
                .contains(
                        "Hello. What can I do for you?",
                        "That is a long story.",
                        "(heard ",
                        "How is the weather?",
                        "\"output\":\"sunny\"",
                        "It is sunny in Bonn.");
        assertEnded();
    }

    private static List<String> types(JsonObject report) {
        return report.getAsJsonArray("events").asList().stream()
                .map(event -> event.getAsJsonObject().get("type").getAsString())
                .toList();
    }

    private static void assertEnded() throws Exception {
        assertThat(system.stub().only().endReason().get(END_SECONDS, TimeUnit.SECONDS))
                .isEqualTo(EndReason.END_REASON_CLIENT_HANGUP);
    }

    private static JsonObject run(String client) throws IOException {
        byte[] page =
                ("<!doctype html><meta charset=utf-8><script>"
                                + Files.readString(BUNDLES.resolve(client + ".js"))
                                        .replace("</script", "<\\/script")
                                + "</script>")
                        .getBytes(StandardCharsets.UTF_8);
        HttpServer pages =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        pages.createContext(
                "/",
                exchange -> {
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    exchange.sendResponseHeaders(200, page.length);
                    exchange.getResponseBody().write(page);
                    exchange.close();
                });
        pages.start();
        String url = "http://127.0.0.1:" + pages.getAddress().getPort() + "/";
        try (Page tab = chromium.openPage(url, 800, 600)) {
            Object report =
                    tab.evaluate(
                            "async (wish) => JSON.stringify(await window.run(wish))",
                            Map.of("base", system.url(), "token", "anything"));
            System.out.printf("%s in Chromium %s: %s%n", client, chromium.version(), report);
            return JsonParser.parseString(String.valueOf(report)).getAsJsonObject();
        } finally {
            pages.stop(0);
        }
    }

    private static List<Integer> statuses(JsonObject report, String method, String path) {
        return report.getAsJsonArray("seen").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(exchange -> exchange.get("method").getAsString().equalsIgnoreCase(method))
                .filter(exchange -> exchange.get("path").getAsString().contains(path))
                .map(exchange -> exchange.get("status").getAsInt())
                .toList();
    }
}
