package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.runtime.config.ConfigException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LifecycleTest {
    private static final Duration TWO_SECONDS = Duration.ofSeconds(2);
    private static final String POST =
            "POST /v1/realtime/calls HTTP/1.1\r\nHost: x\r\nContent-Type: application/sdp\r\n";

    @Test
    void namesTheKeyWhenThePortIsTaken() throws IOException {
        try (var fixture = SignalingFixture.with();
                var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + taken.getLocalPort();

            assertThatThrownBy(() -> fixture.startAnother(Map.of("http_address", address)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage(
                            "http_address: cannot listen on "
                                    + address
                                    + " (Address already in use); give an address of this machine"
                                    + " and a port that is free");
        }
    }

    @Test
    void namesTheKeyWhenTheAddressIsNotOurs() {
        try (var fixture = SignalingFixture.with()) {
            assertThatThrownBy(
                            () ->
                                    fixture.startAnother(
                                            Map.of(
                                                    "http_address",
                                                    "192.0.2.1:8080",
                                                    "auth",
                                                    "any")))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageMatching("http_address: cannot listen on 192.0.2.1:8080 \\(.*");
        }
    }

    @Test
    @Timeout(120)
    void stopsAtOnceWithIdleConnectionsOpen() throws IOException {
        try (var fixture = SignalingFixture.with();
                var idle = new RawHttp(fixture.signaling);
                var fresh = new RawHttp(fixture.signaling)) {
            idle.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(idle.response()).startsWith("HTTP/1.1 200 ");

            long start = System.nanoTime();
            fixture.signaling.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TWO_SECONDS);

            assertThat(idle.isClosed()).isTrue();
            assertThat(fresh.isClosed()).isTrue();
            fixture.signaling.close();
        }
    }

    @Test
    @Timeout(120)
    void stopsInTimeWhileRequestsHang() throws IOException {
        try (var warnings = new Warnings();
                var fixture = SignalingFixture.with();
                var slowBody = new RawHttp(fixture.signaling);
                var slowCreate = new RawHttp(fixture.signaling)) {
            slowBody.send(POST + "Content-Length: 100\r\n\r\nv=0");
            fixture.transceiver().silent = true;
            slowCreate.send(POST + "Content-Length: 3\r\n\r\nv=0");
            while (fixture.transceiver().created.isEmpty()) {
                Thread.onSpinWait();
            }

            long start = System.nanoTime();
            fixture.signaling.close();

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TWO_SECONDS);
            assertThat(slowBody.isClosed() && slowCreate.isClosed()).isTrue();
            assertThat(warnings.messages()).isEmpty();
        }
    }

    @Test
    void closesConnectionsThatStayIdle() throws IOException {
        try (var fixture = SignalingFixture.with("idle_timeout", "200ms");
                var client = new RawHttp(fixture.signaling)) {
            client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.response()).startsWith("HTTP/1.1 200 ");

            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    @Timeout(120)
    void listensAgainAfterAcceptingHasFailed() throws IOException {
        try (var fixture = SignalingFixture.with();
                var before = new RawHttp(fixture.signaling)) {
            before.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(before.response()).startsWith("HTTP/1.1 200 ");

            // An interrupt has accept fail, as a lack of descriptors has.
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().matches("server-.*-listener"))
                    .forEach(Thread::interrupt);
            assertThat(before.isClosed()).isTrue();

            assertThat(firstAnswer(fixture.signaling)).startsWith("HTTP/1.1 200 ");
        }
    }

    private static String firstAnswer(Signaling signaling) {
        while (true) {
            try (var client = new RawHttp(signaling)) {
                return client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").response();
            } catch (IOException _) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void countsWhatItAnswered() {
        try (var fixture = SignalingFixture.with()) {
            String call = SignalingFixture.location(fixture.postOffer());
            fixture.send(fixture.request(call).DELETE());
            fixture.send(fixture.request(call).DELETE());
            fixture.post("/v1/realtime/calls", "text/plain", "x");
            // Only what was really sent is counted, so the client may be a moment ahead.
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
            while (!Long.valueOf(2)
                            .equals(
                                    fixture.telemetry
                                            .snapshot()
                                            .get("parley.signaling.responses{class=4xx}"))
                    && System.nanoTime() - deadline < 0) {
                Thread.onSpinWait();
            }

            assertThat(fixture.telemetry.snapshot())
                    .containsEntry("parley.signaling.calls{event=created}", 1L)
                    .containsEntry("parley.signaling.calls{event=closed}", 1L)
                    .containsEntry("parley.signaling.errors{code=call_not_found}", 1L)
                    .containsEntry("parley.signaling.errors{code=unsupported_media_type}", 1L)
                    .containsEntry("parley.signaling.responses{class=2xx}", 2L)
                    .containsEntry("parley.signaling.responses{class=4xx}", 2L)
                    .containsEntry("parley.signaling.responses{class=5xx}", 0L);
        }
    }

    @Test
    void listensOnIpv6() throws Exception {
        try (var fixture = SignalingFixture.with();
                var six = fixture.startAnother(Map.of("http_address", "[::1]:0"));
                var http = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://[::1]:" + six.address().getPort() + "/healthz");
            var response =
                    http.send(
                            HttpRequest.newBuilder(uri).build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(200);
        }
    }
}
