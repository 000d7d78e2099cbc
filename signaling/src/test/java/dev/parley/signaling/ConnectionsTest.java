package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionsTest {
    private static final String HEALTH = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

    @ParameterizedTest
    @Timeout(60)
    @ValueSource(
            strings = {"", "G", "GET /healthz HT", "GET /healthz HTTP/1.1\r\n", "\r\n", "\u0016"})
    void endsAFirstRequestThatStops(String start) throws IOException {
        try (var warnings = new Warnings();
                var fixture = SignalingFixture.with("receive_timeout", "200ms");
                var client = new RawHttp(fixture.signaling)) {
            client.send(start);

            // To an empty line it says what is wrong first.
            var _ = client.rest();
            assertThat(warnings.messages()).isEmpty();
        }
    }

    @ParameterizedTest
    @Timeout(60)
    @ValueSource(strings = {"G", "GET /healthz HTTP/1.1\r\nHost", HEALTH + "GET"})
    void endsALaterRequestThatStops(String start) throws IOException {
        try (var fixture = SignalingFixture.with("receive_timeout", "200ms");
                var client = new RawHttp(fixture.signaling)) {
            client.send(HEALTH);
            assertThat(client.response()).startsWith("HTTP/1.1 200 ");
            client.send(start);
            if (start.startsWith(HEALTH)) {
                assertThat(client.response()).startsWith("HTTP/1.1 200 ");
            }

            assertThat(client.isClosed()).isTrue();
            assertThat(fixture.telemetry.snapshot())
                    .containsEntry("parley.signaling.connections_closed{reason=late_head}", 1L);
        }
    }

    @Test
    @Timeout(60)
    void takesNoiseForAFaultOfWhoSendsIt() throws IOException {
        Random random = new Random(1);
        byte[] noise = new byte[200];
        try (var warnings = new Warnings();
                var fixture = SignalingFixture.with("receive_timeout", "5s")) {
            for (int i = 0; i < 60; i++) {
                random.nextBytes(noise);
                try (var client = new RawHttp(fixture.signaling)) {
                    client.send(new String(noise, StandardCharsets.ISO_8859_1) + "\r\n\r\n");
                    assertThat(client.head()).startsWith("HTTP/1.1 400 ");
                }
            }

            assertThat(fixture.telemetry.snapshot())
                    .containsEntry("parley.signaling.errors{code=invalid_request}", 60L)
                    .containsEntry("parley.signaling.errors{code=internal_error}", 0L);
            assertThat(warnings.messages()).isEmpty();
        }
    }

    @Test
    @Timeout(60)
    void endsARequestThatDripsByteByByte() throws IOException, InterruptedException {
        try (var fixture = SignalingFixture.with("receive_timeout", "500ms");
                var client = new RawHttp(fixture.signaling)) {
            Thread dripping =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            while (true) {
                                                client.send("G");
                                                Thread.sleep(20);
                                            }
                                        } catch (IOException | InterruptedException _) {
                                            // Closed.
                                        }
                                    });
            assertThat(client.isClosed()).isTrue();
            dripping.join();
        }
    }

    @Test
    @Timeout(60)
    void endsClientsThatDoNotReadTheirAnswers() throws IOException, InterruptedException {
        try (var fixture =
                        SignalingFixture.with(
                                "receive_timeout", "200ms",
                                "create_timeout", "1ms",
                                "control_timeout", "1ms");
                var client = new RawHttp(fixture.signaling)) {
            Thread asking =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            while (true) {
                                                client.send(
                                                        "GET /style.css HTTP/1.1\r\nHost:"
                                                                + " x\r\n\r\n");
                                            }
                                        } catch (IOException _) {
                                            // Closed.
                                        }
                                    });
            asking.join();
            assertThat(fixture.telemetry.snapshot())
                    .containsEntry("parley.signaling.connections_closed{reason=late_request}", 1L);
        }
    }

    @Test
    @Timeout(60)
    void givesOneAddressOnlySoManyConnections() throws IOException {
        try (var fixture = SignalingFixture.with("max_connections_per_address", "3")) {
            List<RawHttp> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                clients.add(new RawHttp(fixture.signaling).send(HEALTH));
                assertThat(clients.getLast().response()).startsWith("HTTP/1.1 200 ");
            }
            try (var fourth = new RawHttp(fixture.signaling)) {
                assertThat(fourth.isClosed()).isTrue();
            }

            clients.removeFirst().close();
            while (fixture.telemetry.snapshot().getOrDefault("parley.signaling.connections", 0L)
                    > 2) {
                Thread.onSpinWait();
            }
            try (var next = new RawHttp(fixture.signaling).send(HEALTH)) {
                assertThat(next.response()).startsWith("HTTP/1.1 200 ");
            }
            for (RawHttp client : clients) {
                client.close();
            }
        }
    }
}
