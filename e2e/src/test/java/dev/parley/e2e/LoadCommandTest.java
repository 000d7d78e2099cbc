package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.parley.app.load.LoadCommand;
import dev.parley.runtime.config.ConfigException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./parley load} against the whole product. */
class LoadCommandTest {
    private static WatchedProduct system;

    @TempDir private Path folder;

    @BeforeAll
    static void start() {
        system = WatchedProduct.start();
    }

    @AfterAll
    static void stop() {
        system.close();
    }

    @Test
    void hearsItsOwnPacketsFromAnEchoAndNobodyElses() throws IOException {
        Path page = folder.resolve("out.html");

        JsonObject figures =
                run(Map.of("sessions", "5", "data-channel", "5", "html", page.toString()));

        assertThat(figures.get("connected").getAsInt()).isEqualTo(5);
        assertThat(figures.get("failed").getAsInt()).isZero();
        assertThat(figures.get("rtt_basis").getAsString()).isEqualTo("echo");
        assertThat(figures.get("packets_returned").getAsInt()).isPositive();
        assertThat(figures.get("packets_of_other_calls").getAsInt()).isZero();
        assertThat(figures.get("messages_returned").getAsInt()).isPositive();
        assertThat(figures.keySet())
                .contains("loss", "setup_ms_p50", "setup_ms_p99", "rtt_ms_p50", "gap_ms_max");
        assertThat(page).content().startsWith("<!doctype html>").contains("<polyline");
    }

    @Test
    void takesRtcpsRoundTripWhereNothingComesBack() throws IOException {
        JsonObject figures = run(Map.of("sessions", "2", "model", "silence", "seconds", "5"));

        assertThat(figures.get("connected").getAsInt()).isEqualTo(2);
        assertThat(figures.get("rtt_basis").getAsString()).isEqualTo("rtcp");
        assertThat(figures.get("packets_returned").getAsInt()).isZero();
    }

    @Test
    void keepsCallsThroughNewPortsAndNewCredentials() throws IOException {
        // A call lasts 1 to 3 seconds, so its successor has as long again to connect.
        JsonObject figures =
                run(
                        Map.of(
                                "sessions", "3",
                                "seconds", "6",
                                "ice-restart", "1",
                                "rebind", "1",
                                "call-seconds", "2"));

        assertThat(figures.get("connected").getAsInt()).isGreaterThan(3);
        assertThat(figures.get("failed").getAsInt()).isZero();
        assertThat(figures.get("ended_early").getAsInt()).isZero();
        assertThat(figures.get("ice_restarts").getAsInt()).isPositive();
        assertThat(figures.get("rebinds").getAsInt()).isPositive();
        assertThat(figures.getAsJsonObject("errors").keySet()).isEmpty();
    }

    private JsonObject run(Map<String, String> options) throws IOException {
        Path json = folder.resolve("out.json");
        Map<String, String> given =
                new HashMap<>(
                        Map.of(
                                "url",
                                system.url(),
                                "seconds",
                                "2",
                                "ramp",
                                "50",
                                "json",
                                json.toString()));
        given.putAll(options);

        assertThat(LoadCommand.run(given)).isZero();

        return JsonParser.parseString(Files.readString(json)).getAsJsonObject();
    }

    @Test
    void saysThatNobodyListens() throws IOException {
        int port;
        try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = nobody.getLocalPort();
        }
        Path json = folder.resolve("out.json");

        int exit =
                LoadCommand.run(Map.of("url", "http://127.0.0.1:" + port, "json", json.toString()));

        assertThat(exit).isOne();
        JsonObject figures = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
        assertThat(figures.get("connected").getAsInt()).isZero();
        assertThat(figures.get("failed").getAsInt()).isEqualTo(10);
        assertThat(figures.getAsJsonObject("errors").keySet())
                .contains("unreachable")
                .isSubsetOf("unreachable", "not_tried");
    }

    @Test
    void writesThePageThoughTheFiguresCannotBeWritten() {
        Path page = folder.resolve("out.html");

        int exit =
                LoadCommand.run(
                        Map.of(
                                "url", system.url(),
                                "sessions", "1",
                                "seconds", "1",
                                "warm-up", "0",
                                "json", "/dev/full",
                                "html", page.toString()));

        assertThat(exit).isOne();
        assertThat(page).content().contains("<polyline");
    }

    @Test
    void namesTheOptionThatCannotBeUsed() {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> LoadCommand.run(Map.of("sessions", "-3")))
                .withMessageStartingWith("--sessions is '-3'");
    }
}
