package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.OFFER;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CorsTest {
    private static final String SHOP = "https://shop.example";

    @Test
    void answersPreflightsThatBrowsersMayRemember() {
        try (var fixture = SignalingFixture.with()) {
            HttpResponse<String> response = preflight(fixture, SHOP);

            assertThat(response.statusCode()).isEqualTo(204);
            assertThat(header(response, "Access-Control-Allow-Origin")).isEqualTo("*");
            assertThat(header(response, "Access-Control-Allow-Methods")).isEqualTo("POST, OPTIONS");
            assertThat(header(response, "Access-Control-Allow-Headers").split(", "))
                    .contains(
                            "Authorization",
                            "Content-Type",
                            "X-OpenAI-Agents-SDK",
                            "OpenAI-Beta",
                            "If-Match");
            assertThat(header(response, "Access-Control-Max-Age")).isEqualTo("7200");
            assertThat(fixture.transceiver().created).isEmpty();
        }
    }

    @Test
    void exposesWhatClientsNeedOnResponsesAndErrors() {
        try (var fixture = SignalingFixture.with()) {
            for (String type : new String[] {"application/sdp", "text/plain"}) {
                HttpResponse<String> response = post(fixture, SHOP, type, OFFER);

                assertThat(header(response, "Access-Control-Allow-Origin")).isEqualTo("*");
                assertThat(header(response, "Access-Control-Expose-Headers").split(", "))
                        .contains("Location", "ETag", "Link");
                assertThat(response.headers().map())
                        .doesNotContainKey("access-control-allow-credentials");
            }
        }
    }

    @Test
    void letsPagesReadThatTheirBodyWasTooLarge() throws IOException {
        try (var fixture = SignalingFixture.with("max_body_bytes", "1024");
                var client = new RawHttp(fixture.signaling)) {
            var response = post(fixture, SHOP, "application/sdp", "x".repeat(2_000));
            assertThat(response.statusCode()).isEqualTo(413);
            assertThat(header(response, "Access-Control-Allow-Origin")).isEqualTo("*");

            // Far beyond the limit the web server itself refuses, before any routing.
            client.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nOrigin: "
                            + SHOP
                            + "\r\nContent-Length: 1000000\r\n\r\n");
            assertThat(client.response())
                    .startsWith("HTTP/1.1 413 ")
                    .containsIgnoringCase("Access-Control-Allow-Origin: *");
        }
    }

    @Test
    void allowsOnlyConfiguredOrigins() {
        try (var fixture =
                SignalingFixture.with("allowed_origins", SHOP + ",http://localhost:3000")) {
            assertThat(header(preflight(fixture, SHOP), "Access-Control-Allow-Origin"))
                    .isEqualTo(SHOP);
            var stranger = preflight(fixture, "https://evil.example");
            assertThat(stranger.headers().map())
                    .doesNotContainKeys(
                            "access-control-allow-origin", "access-control-allow-headers");
            // Each answer depends on the origin, so caches must keep them apart.
            assertThat(header(stranger, "Vary")).isEqualToIgnoringCase("Origin");
        }
    }

    @Test
    void allowsNobodyElseWhenNoOriginIsConfigured() {
        try (var fixture = SignalingFixture.with("allowed_origins", "")) {
            assertThat(preflight(fixture, SHOP).headers().map())
                    .doesNotContainKey("access-control-allow-origin");
            assertThat(post(fixture, "", "application/sdp", OFFER).statusCode()).isEqualTo(201);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/realtime",
                "/v1/realtime/calls/rtc_x",
                "/v1/realtime/calls/rtc_x/hangup"
            })
    void answersOptionsOnEveryPath(String path) {
        try (var fixture = SignalingFixture.with()) {
            var response =
                    fixture.send(
                            fixture.request(path)
                                    .method("OPTIONS", HttpRequest.BodyPublishers.noBody()));

            assertThat(response.statusCode()).isEqualTo(204);
            assertThat(header(response, "Allow")).contains("OPTIONS");
        }
    }

    private static HttpResponse<String> preflight(SignalingFixture fixture, String origin) {
        return fixture.send(
                fixture.request("/v1/realtime/calls")
                        .header("Origin", origin)
                        .header("Access-Control-Request-Method", "POST")
                        .header("Access-Control-Request-Headers", "authorization,content-type")
                        .method("OPTIONS", HttpRequest.BodyPublishers.noBody()));
    }

    private static HttpResponse<String> post(
            SignalingFixture fixture, String origin, String type, String body) {
        var request = fixture.request("/v1/realtime/calls").header("Content-Type", type);
        if (!origin.isEmpty()) {
            request.header("Origin", origin);
        }
        return fixture.send(request.POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}
