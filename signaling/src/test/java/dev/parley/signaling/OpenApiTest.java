package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.OFFER;
import static dev.parley.signaling.SignalingFixture.json;
import static dev.parley.signaling.SignalingFixture.location;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.signaling.auth.ApiKeys;
import dev.parley.signaling.http.ErrorCode;
import io.grpc.Status;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What signaling does is what its description says: every response that is described is brought
 * about and looks as described, and nothing else comes.
 */
class OpenApiTest {
    private static final OpenApi DESCRIPTION = OpenApi.load();
    private static final String SDP = "application/sdp";
    private static final String FRAGMENT = "application/trickle-ice-sdpfrag";
    private static final String JSON = "application/json";
    private static final String CANDIDATE = "a=end-of-candidates\r\n";

    @TempDir private Path folder;
    private final ApiKeys.Generated key = ApiKeys.generate("all", new SecureRandom());
    private final ApiKeys.Generated narrow = ApiKeys.generate("narrow", new SecureRandom());
    private final ApiKeys.Generated slow = ApiKeys.generate("slow", new SecureRandom());
    private final Set<String> seen = new TreeSet<>();

    @Test
    void describesWhatHappensAndNothingElse() throws IOException {
        String keys =
                String.join(
                        ",",
                        key.fileEntry(),
                        narrow.fileEntry().replace("}", ",\"models\":[\"none\"]}"),
                        slow.fileEntry().replace("}", ",\"calls_per_minute\":1,\"burst\":1}"));
        String file =
                Files.writeString(folder.resolve("keys.json"), "{\"keys\":[" + keys + "]}")
                        .toString();
        try (var fixture =
                SignalingFixture.with(
                        "api_keys_file", file, "whip_strict", "true", "max_body_bytes", "8192")) {
            open(fixture);
            creations(fixture);
            secrets(fixture);
            changes(fixture);
            troubles(fixture);
        }
        try (var fixture = SignalingFixture.with("overflow_url", "https://west.example")) {
            fixture.transceiver().refuse(Status.RESOURCE_EXHAUSTED, "", "");
            for (String path : new String[] {"/whip", "/whip/echo"}) {
                see("POST", path, fixture.post(path, SDP, OFFER));
            }
        }
        try (var fixture = SignalingFixture.with("allowed_origins", "");
                var client = new RawHttp(fixture.signaling)) {
            var request =
                    fixture.request("/v1/realtime/signaling").header("Origin", "https://x.example");
            see("GET", "/v1/realtime/signaling", fixture.send(request));
            see(
                    "GET",
                    "/v1/realtime",
                    fixture.send(
                            fixture.request("/v1/realtime?call_id=rtc_x")
                                    .header("Origin", "https://x.example")));
            upgrade(client, "/v1/realtime/signaling", "");
        }
        try (var fixture = SignalingFixture.with();
                var client = new RawHttp(fixture.signaling)) {
            String call = location(fixture.postOffer());
            upgrade(
                    client,
                    "/v1/realtime",
                    "?call_id=" + call.substring(call.lastIndexOf('/') + 1));
        }
        assertThat(seen).isEqualTo(DESCRIPTION.responses());
    }

    @Test
    void namesEveryCodeAndEachOperationOnce() {
        assertThat(DESCRIPTION.codes())
                .containsExactlyElementsOf(
                        Arrays.stream(ErrorCode.values()).map(ErrorCode::text).toList());
        assertThat(DESCRIPTION.operationIds()).doesNotHaveDuplicates();
    }

    private void upgrade(RawHttp client, String path, String query) throws IOException {
        client.send(
                """
                GET %s HTTP/1.1
                Host: x
                Upgrade: websocket
                Connection: Upgrade
                Sec-WebSocket-Version: 13
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==

                """
                        .formatted(path + query)
                        .replace("\n", "\r\n"));
        assertThat(client.head()).startsWith("HTTP/1.1 101 ");
        seen.add("GET " + path + " 101");
    }

    private void open(SignalingFixture fixture) {
        for (String path : new String[] {"/healthz", "/readyz", "/openapi.yaml"}) {
            see("GET", path, fixture.send(fixture.request(path)));
        }
        for (String path : new String[] {"/whip", "/whip/echo", "/whip/sessions/rtc_x"}) {
            see(
                    "OPTIONS",
                    path,
                    fixture.send(fixture.request(path).method("OPTIONS", BodyPublishers.noBody())));
        }
        see(fixture, key.key(), "GET", "/v1/realtime/signaling", "", "");
        see(fixture, "nobody", "GET", "/v1/realtime/signaling", "", "");
        see(
                "GET",
                "/v1/realtime/signaling",
                fixture.send(
                        fixture.request("/v1/realtime/signaling?ingress_candidates=9")
                                .header("Authorization", "Bearer " + key.key())));
    }

    private void creations(SignalingFixture fixture) {
        for (String path : List.of("/v1/realtime/calls", "/v1/realtime", "/whip", "/whip/echo")) {
            see(fixture, key.key(), "POST", path, SDP, OFFER);
            see(fixture, "nobody", "POST", path, SDP, OFFER);
            see(fixture, narrow.key(), "POST", path, SDP, OFFER);
            see(fixture, key.key(), "POST", path, SDP, "x".repeat(10_000));
            see(fixture, key.key(), "POST", path, "text/plain", OFFER);
            see(fixture, slow.key(), "POST", path, SDP, OFFER);
            see(fixture, slow.key(), "POST", path, SDP, OFFER);
            for (Status status :
                    List.of(
                            Status.INVALID_ARGUMENT,
                            Status.NOT_FOUND,
                            Status.INTERNAL,
                            Status.UNAVAILABLE)) {
                fixture.transceiver().refuse(status, "", "");
                see(fixture, key.key(), "POST", path, SDP, OFFER);
                fixture.transceiver().refusal = null;
            }
        }
    }

    private void secrets(SignalingFixture fixture) throws IOException {
        String path = "/v1/realtime/client_secrets";
        var made = see(fixture, key.key(), "POST", path, JSON, "{\"session\":{\"a\":1}}");
        String secret = json(made).path("value").textValue();
        see(fixture, key.key(), "POST", path, JSON, "[]");
        see(fixture, key.key(), "POST", path, JSON, "x".repeat(10_000));
        see(fixture, "nobody", "POST", path, JSON, "{}");
        see(fixture, secret, "POST", path, JSON, "{}");
        see(fixture, slow.key(), "POST", path, JSON, "{}");
        see(fixture, slow.key(), "POST", path, JSON, "{}");
    }

    private void changes(SignalingFixture fixture) {
        String call = location(start(fixture, "/v1/realtime/calls"));
        String session = location(start(fixture, "/whip"));
        see(fixture, key.key(), "GET", call, "", "");
        String sideband = "/v1/realtime?call_id=";
        String id = call.substring(call.lastIndexOf('/') + 1);
        see(fixture, key.key(), "GET", sideband + id, "", "");
        see(fixture, key.key(), "GET", sideband + "rtc_x", "", "");
        see(fixture, "nobody", "GET", sideband + id, "", "");
        for (String method : new String[] {"PATCH", "POST"}) {
            change(fixture, key.key(), method, call, "*", SDP, OFFER);
            change(fixture, key.key(), method, call, "", FRAGMENT, CANDIDATE);
            change(fixture, key.key(), method, call, "*", SDP, "");
            change(fixture, key.key(), method, call, "\"77\"", FRAGMENT, CANDIDATE);
            change(fixture, key.key(), method, call, "*", "text/plain", OFFER);
            change(fixture, "nobody", method, call, "*", SDP, OFFER);
            change(fixture, key.key(), method, "/v1/realtime/calls/rtc_x", "*", SDP, OFFER);
        }
        change(fixture, key.key(), "PATCH", session, "*", FRAGMENT, CANDIDATE);
        change(fixture, key.key(), "PATCH", session, "\"1\"", FRAGMENT, CANDIDATE);
        change(fixture, key.key(), "PATCH", session, "\"77\"", FRAGMENT, CANDIDATE);
        change(fixture, key.key(), "PATCH", session, "", FRAGMENT, CANDIDATE);
        change(fixture, key.key(), "PATCH", session, "*", SDP, OFFER);
        change(fixture, "nobody", "PATCH", session, "*", FRAGMENT, CANDIDATE);
        change(fixture, key.key(), "PATCH", "/whip/sessions/rtc_x", "*", FRAGMENT, CANDIDATE);
        fixture.transceiver().refuse(Status.INVALID_ARGUMENT, "sdp", "");
        change(fixture, key.key(), "PATCH", session, "*", FRAGMENT, "x");
        fixture.transceiver().refusal = null;
        for (String path : new String[] {call, session}) {
            see(fixture, "nobody", "DELETE", path, "", "");
            see(fixture, key.key(), "DELETE", path, "", "");
            see(fixture, key.key(), "DELETE", path, "", "");
        }
        see(fixture, "nobody", "GET", call, "", "");
        see(fixture, key.key(), "GET", call, "", "");
        String other = location(start(fixture, "/v1/realtime/calls")) + "/hangup";
        see(fixture, "nobody", "POST", other, "", "");
        see(fixture, key.key(), "POST", other, "", "");
        see(fixture, key.key(), "POST", other, "", "");
    }

    private void troubles(SignalingFixture fixture) {
        String call = location(start(fixture, "/v1/realtime/calls"));
        String session = location(start(fixture, "/whip"));
        fixture.transceiver().close();
        see("GET", "/readyz", fixture.send(fixture.request("/readyz")));
        see(fixture, key.key(), "GET", call, "", "");
        String id = call.substring(call.lastIndexOf('/') + 1);
        see(fixture, key.key(), "GET", "/v1/realtime?call_id=" + id, "", "");
        change(fixture, key.key(), "PATCH", call, "*", SDP, OFFER);
        change(fixture, key.key(), "POST", call, "*", SDP, OFFER);
        change(fixture, key.key(), "PATCH", session, "*", FRAGMENT, CANDIDATE);
        see(fixture, key.key(), "DELETE", call, "", "");
        see(fixture, key.key(), "POST", call + "/hangup", "", "");
        see(fixture, key.key(), "DELETE", session, "", "");
    }

    private HttpResponse<String> start(SignalingFixture fixture, String path) {
        return see(fixture, key.key(), "POST", path, SDP, OFFER);
    }

    private void change(
            SignalingFixture fixture,
            String credential,
            String method,
            String path,
            String match,
            String type,
            String body) {
        var request = request(fixture, credential, method, path, type, body);
        if (!match.isEmpty()) {
            request.header("If-Match", match);
        }
        see(method, path, fixture.send(request));
    }

    private HttpResponse<String> see(
            SignalingFixture fixture,
            String credential,
            String method,
            String path,
            String type,
            String body) {
        return see(
                method, path, fixture.send(request(fixture, credential, method, path, type, body)));
    }

    private static HttpRequest.Builder request(
            SignalingFixture fixture,
            String credential,
            String method,
            String path,
            String type,
            String body) {
        var request = fixture.request(path).header("Authorization", "Bearer " + credential);
        if (!type.isEmpty()) {
            request.header("Content-Type", type);
        }
        return request.method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    }

    private HttpResponse<String> see(String method, String path, HttpResponse<String> response) {
        seen.add(
                DESCRIPTION.check(
                        method, path, response.statusCode(), response.headers(), response.body()));
        return response;
    }
}
