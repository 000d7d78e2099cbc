package dev.parley.otel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.otel.trace.CallTrace;
import dev.parley.otel.trace.Tracing;
import io.opentelemetry.api.trace.SpanKind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AdminServerTest {
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

    private final Telemetry telemetry =
            Telemetry.start("signaling", Map.of(), TelemetrySettings.LOCAL);
    private final AdminServer admin =
            AdminServer.start(
                    telemetry, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final InetSocketAddress address = Objects.requireNonNull(admin.findAddress());
    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        http.close();
        admin.close();
        telemetry.close();
    }

    private HttpResponse<String> get(String path, String accept) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort() + path))
                        .header("Accept", accept)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private String raw(String request) throws Exception {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            byte[] answer = new byte[12];
            int length = socket.getInputStream().readNBytes(answer, 0, answer.length);
            return new String(answer, 0, length, StandardCharsets.US_ASCII);
        }
    }

    @Test
    void tellsPrometheusWhatIsCountedAndAnExampleOfASlowSetUp() throws Exception {
        CallTrace call = CallTrace.mint(new Random(1), 1);
        telemetry.counters(Metric.RELAY_DROPS, Map.of("token_forged", () -> 7));
        telemetry.gauge(Metric.RELAY_FLOWS, () -> 3);
        telemetry.histogram(Metric.CALL_SETUP).record(0.4, call, "answered");

        assertThat(get("/metrics", "text/plain").body())
                .contains("parley_relay_drops_total{reason=\"token_forged\"} 7")
                .contains("parley_relay_flows 3")
                .contains("parley_call_setup_duration_seconds_count{phase=\"answered\"} 1");
        assertThat(get("/metrics", "application/openmetrics-text").body())
                .contains("# {span_id=\"")
                .contains("trace_id=\"" + call + "\"} 0.4");
    }

    @Test
    void aSlowSetUpAmongManyOthersIsAnExample() throws Exception {
        Random random = new Random(1);
        Histogram times = telemetry.histogram(Metric.CALL_SETUP);
        CallTrace slow = CallTrace.mint(random, 1);
        String example = "trace_id=\"" + slow + "\"} 2.2";
        long end = System.nanoTime() + PATIENCE_NANOS;
        do {
            assertThat(end - System.nanoTime()).as("time left").isPositive();
            for (int i = 0; i < 100; i++) {
                times.record(0.01, CallTrace.mint(random, 1), "answered");
            }
            LockSupport.parkNanos(5_000_000);
            times.record(2.2, slow, "answered");
        } while (!get("/metrics", "application/openmetrics-text").body().contains(example));
    }

    @Test
    void aSecondServiceOfAKindTakesTheMetricsPlace() throws Exception {
        telemetry.gauge(Metric.RELAY_FLOWS, () -> 3);
        telemetry.gauge(Metric.RELAY_FLOWS, () -> 4);

        assertThat(get("/metrics", "text/plain").body()).contains("parley_relay_flows 4");
    }

    @Test
    void showsTablesCallsAndACallsSpans() throws Exception {
        telemetry.view("sessions", () -> List.of(Map.of("model", "a \"b\" </script>")));
        Tracing tracing = telemetry.tracing("signaling");
        CallTrace call = tracing.mint(new Random(1));
        tracing.startRoot(call, "POST /v1/realtime/calls", SpanKind.SERVER, 1_000_000).end();

        assertThat(get("/api/overview", "*/*").body())
                .contains("\"process\":\"signaling\"")
                .contains("{\"model\":\"a \\\"b\\\" \\u003c/script>\"}")
                .contains("\"call\":\"" + call + "\"");
        assertThat(get("/api/calls/" + call, "*/*").body())
                .contains("\"name\":\"POST /v1/realtime/calls\"")
                .contains("\"service\":\"parley-signaling\"");
        assertThat(get("/api/calls/" + "0".repeat(32), "*/*").body())
                .isEqualTo("[{\"process\":\"signaling\",\"spans\":[]}]");
        assertThat(get("/api/calls/unknown", "*/*").statusCode()).isEqualTo(404);
        assertThat(get("/", "*/*").body()).contains("<title>Parley operations</title>");
        assertThat(get("/calls/" + call, "*/*").body()).contains("<title>Parley call</title>");
        assertThat(get("/elsewhere", "*/*").statusCode()).isEqualTo(404);
    }

    @Test
    void showsWhatOtherProcessesHaveOfACall() throws Exception {
        CallTrace call = CallTrace.mint(new Random(1), 1);
        telemetry
                .tracing("signaling")
                .startRoot(call, "POST /v1/realtime/calls", SpanKind.SERVER, 1_000_000)
                .end();
        try (ServerSocket mute = new ServerSocket(0, 1, address.getAddress());
                Telemetry relay = Telemetry.start("relay", Map.of(), TelemetrySettings.LOCAL);
                AdminServer asking =
                        AdminServer.start(
                                relay,
                                new InetSocketAddress(address.getAddress(), 0),
                                List.of(
                                        address,
                                        new InetSocketAddress(
                                                address.getAddress(), mute.getLocalPort())))) {
            int port = Objects.requireNonNull(asking.findAddress()).getPort();
            String body =
                    http.send(
                                    HttpRequest.newBuilder(
                                                    URI.create(
                                                            "http://127.0.0.1:"
                                                                    + port
                                                                    + "/api/calls/"
                                                                    + call))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body();
            assertThat(body)
                    .startsWith("[{\"process\":\"relay\",\"spans\":[]},{\"process\":\"signaling\"")
                    .contains("POST /v1/realtime/calls")
                    .endsWith(
                            "{\"process\":\"127.0.0.1:"
                                    + mute.getLocalPort()
                                    + "\",\"silent\":true,\"spans\":[]}]");
        }
    }

    @Test
    void onlyShowsAndOnlyToThoseWhoMeanThisMachine() throws Exception {
        for (String path : List.of("/", "/metrics", "/api/overview")) {
            assertThat(raw("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))
                    .isEqualTo("HTTP/1.1 405");
            assertThat(raw("GET " + path + " HTTP/1.1\r\nHost: evil.example\r\n\r\n"))
                    .isEqualTo("HTTP/1.1 403");
        }
    }

    @Test
    void aTakenAddressStopsNobodyAndIsHadOnceItIsFree() throws Exception {
        try (AdminServer second = AdminServer.start(telemetry, address)) {
            assertThat(second.findAddress()).isNull();
            assertThat(get("/", "*/*").statusCode()).isEqualTo(200);

            admin.close();
            long end = System.nanoTime() + PATIENCE_NANOS;
            while (second.findAddress() == null) {
                assertThat(end - System.nanoTime()).as("time left").isPositive();
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(get("/", "*/*").statusCode()).isEqualTo(200);
        }
    }
}
