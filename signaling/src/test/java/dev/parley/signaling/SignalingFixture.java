package dev.parley.signaling;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.parley.otel.Telemetry;
import dev.parley.runtime.config.ConfigLoader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A real signaling on a free port in front of fake transceivers, and an HTTP client for it. */
final class SignalingFixture implements AutoCloseable {
    static final String OFFER = "v=0\r\ns=offer\r\n";
    static final String KEY = "000102030405060708090a0b0c0d0e0f";

    final List<FakeTransceiver> transceivers = new ArrayList<>();
    final Telemetry telemetry = Telemetry.none();
    final HttpClient http = HttpClient.newHttpClient();
    final Signaling signaling;

    private SignalingFixture(int transceiverCount, Map<String, String> config) {
        for (int i = 0; i < transceiverCount; i++) {
            transceivers.add(new FakeTransceiver(i));
        }
        signaling = startAnother(config);
    }

    static SignalingFixture with(String... keysAndValues) {
        return with(1, keysAndValues);
    }

    static SignalingFixture with(int transceiverCount, String... keysAndValues) {
        Map<String, String> config = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            config.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return new SignalingFixture(transceiverCount, config);
    }

    Signaling startAnother(Map<String, String> overrides) {
        return Signaling.start(config(overrides), telemetry);
    }

    SignalingConfig config(Map<String, String> overrides) {
        Map<String, String> values = new HashMap<>();
        values.put("http_address", "127.0.0.1:0");
        values.put(
                "transceivers",
                transceivers.stream()
                        .map(transceiver -> transceiver.address().toString())
                        .collect(Collectors.joining(",")));
        values.put("relay_addresses", "203.0.113.10:3478,[2001:db8::1]:3478");
        values.put("call_id_key", KEY);
        // Only tests of the limits themselves may run into them, however slow the machine.
        values.put("create_timeout", "60s");
        values.put("control_timeout", "60s");
        values.put("receive_timeout", "60s");
        values.putAll(overrides);
        return ConfigLoader.of(SignalingConfig.class, values);
    }

    FakeTransceiver transceiver() {
        return transceivers.getFirst();
    }

    HttpRequest.Builder request(String path) {
        return request(signaling, path);
    }

    static HttpRequest.Builder request(Signaling signaling, String path) {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + signaling.address().getPort() + path))
                .timeout(Duration.ofSeconds(60));
    }

    HttpResponse<String> post(String path, String contentType, String body) {
        return send(
                request(path)
                        .header("Content-Type", contentType)
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    HttpResponse<String> postOffer() {
        return post("/v1/realtime/calls", "application/sdp", OFFER);
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static String location(HttpResponse<String> response) {
        return response.headers().firstValue("Location").orElseThrow();
    }

    static JsonNode json(HttpResponse<String> response) {
        try {
            return new ObjectMapper().readTree(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(response.body(), e);
        }
    }

    @Override
    public void close() {
        signaling.close();
        http.close();
        transceivers.forEach(FakeTransceiver::close);
    }
}
