package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.OFFER;
import static dev.parley.signaling.SignalingFixture.json;
import static dev.parley.signaling.SignalingFixture.location;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WhipTest {
    private static final String SDP = "application/sdp";
    private static final String FRAGMENT = "application/trickle-ice-sdpfrag";
    private static final String RESTART =
            "a=ice-ufrag:new1\r\na=ice-pwd:0123456789012345678901\r\n";
    private static final String CANDIDATE =
            "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\na=candidate:1 1 udp 1 192.0.2.1 9 typ"
                    + " host\r\n";

    @Test
    @DisplayName("RFC 9725 4.2: 201 with Location, ETag and the answer")
    void startsASession() {
        try (var fixture =
                SignalingFixture.with("ice_servers", "stun:stun.example:3478,stun:[::1]:3478")) {
            HttpResponse<String> response = fixture.post("/whip/echo", SDP, OFFER);

            assertThat(response.statusCode()).isEqualTo(201);
            assertThat(response.body()).isEqualTo(FakeTransceiver.ANSWER);
            assertThat(header(response, "Content-Type")).isEqualTo(SDP);
            assertThat(header(response, "ETag")).isEqualTo("\"0\"");
            assertThat(header(response, "Accept-Patch")).isEqualTo(FRAGMENT);
            assertThat(location(response)).startsWith("/whip/sessions/rtc_");
            assertThat(response.headers().allValues("Link"))
                    .containsExactly(
                            "<stun:stun.example:3478>; rel=\"ice-server\"",
                            "<stun:[::1]:3478>; rel=\"ice-server\"");
            assertThat(fixture.transceiver().created.element().getModel()).isEqualTo("echo");
            assertThat(fixture.transceiver().created.element().getAttributesMap())
                    .containsEntry("protocol", "whip");
        }
    }

    @Test
    void takesTheModelFromTheQueryOrTheDefault() {
        try (var fixture = SignalingFixture.with()) {
            assertThat(fixture.post("/whip?model=a/b", SDP, OFFER).statusCode()).isEqualTo(201);
            assertThat(fixture.post("/whip", SDP, OFFER).statusCode()).isEqualTo(201);
            assertThat(fixture.transceiver().created)
                    .extracting(created -> created.getModel())
                    .containsExactly("a/b", "parrot");
        }
    }

    @Test
    void givesAbsoluteUrlsWhenItKnowsItsName() {
        try (var fixture = SignalingFixture.with("public_url", "https://voice.example/edge/")) {
            assertThat(location(fixture.post("/whip/echo", SDP, OFFER)))
                    .startsWith("https://voice.example/edge/whip/sessions/rtc_");
        }
    }

    @Test
    @DisplayName("RFC 9725 4.3.2, 4.3.3: trickle is 204, a restart 200 with a new entity tag")
    void tricklesAndRestartsOnAnyInstance() {
        try (var fixture = SignalingFixture.with();
                var other = fixture.startAnother(Map.of())) {
            String session = location(fixture.post("/whip/echo", SDP, OFFER));

            var trickled = patch(fixture, other, session, "\"0\"", CANDIDATE);
            assertThat(trickled.statusCode()).isEqualTo(204);
            assertThat(trickled.body()).isEmpty();

            var restarted = patch(fixture, other, session, "*", RESTART);
            assertThat(restarted.statusCode()).isEqualTo(200);
            assertThat(header(restarted, "Content-Type")).isEqualTo(FRAGMENT);
            assertThat(header(restarted, "ETag")).isEqualTo("\"1\"");

            var late = patch(fixture, fixture.signaling, session, "\"0\"", CANDIDATE);
            assertThat(late.statusCode()).isEqualTo(412);
            assertThat(header(late, "Content-Type")).isEqualTo("application/problem+json");
            assertThat(patch(fixture, other, session, "\"1\"", CANDIDATE).statusCode())
                    .isEqualTo(204);
        }
    }

    @Test
    void takesClientsThatForgetOrMistakeIfMatch() {
        try (var fixture = SignalingFixture.with()) {
            String session = location(fixture.post("/whip/echo", SDP, OFFER));

            assertThat(patch(fixture, fixture.signaling, session, "", CANDIDATE).statusCode())
                    .isEqualTo(204);
            assertThat(patch(fixture, fixture.signaling, session, "0", CANDIDATE).statusCode())
                    .isEqualTo(204);
            var inEtag =
                    fixture.request(session)
                            .header("Content-Type", FRAGMENT)
                            .header("ETag", "\"7\"")
                            .method("PATCH", BodyPublishers.ofString(CANDIDATE));
            assertThat(fixture.send(inEtag).statusCode()).isEqualTo(412);
        }
    }

    @Test
    @DisplayName("RFC 9725 4.3.1, RFC 6585 3: strict, If-Match is required and quoted")
    void insistsWhenStrict() {
        try (var fixture = SignalingFixture.with("whip_strict", "true")) {
            String session = location(fixture.post("/whip/echo", SDP, OFFER));

            var missing = patch(fixture, fixture.signaling, session, "", CANDIDATE);
            assertThat(missing.statusCode()).isEqualTo(428);
            assertThat(json(missing).path("code").textValue()).isEqualTo("precondition_required");
            assertThat(patch(fixture, fixture.signaling, session, "0", CANDIDATE).statusCode())
                    .isEqualTo(412);
            assertThat(
                            patch(fixture, fixture.signaling, session, "W/\"0\"", CANDIDATE)
                                    .statusCode())
                    .isEqualTo(412);
            assertThat(patch(fixture, fixture.signaling, session, "\"0\"", CANDIDATE).statusCode())
                    .isEqualTo(204);
        }
    }

    @Test
    void endsASessionOnce() {
        try (var fixture = SignalingFixture.with();
                var other = fixture.startAnother(Map.of())) {
            String session = location(fixture.post("/whip/echo", SDP, OFFER));

            var ended = fixture.send(SignalingFixture.request(other, session).DELETE());
            assertThat(ended.statusCode()).isEqualTo(200);
            var again = fixture.send(fixture.request(session).DELETE());
            assertThat(again.statusCode()).isEqualTo(404);
            assertThat(json(again).path("code").textValue()).isEqualTo("call_not_found");
        }
    }

    @ParameterizedTest
    @CsvSource({"false, 200", "true, 404"})
    void takesClientsThatCloseTheirConnectionFirst(String strict, int status) {
        try (var fixture = SignalingFixture.with("whip_strict", strict)) {
            String session = location(fixture.post("/whip/echo", SDP, OFFER));
            fixture.transceiver().ended.addAll(fixture.transceiver().sessions);
            fixture.transceiver().sessions.clear();

            assertThat(fixture.send(fixture.request(session).DELETE()).statusCode())
                    .isEqualTo(status);
        }
    }

    @Test
    @DisplayName("RFC 9725 4.2: OPTIONS tells what to post; clients look for PATCH in the methods")
    void tellsWhatItCan() {
        try (var fixture = SignalingFixture.with("ice_servers", "stun:stun.example:3478")) {
            for (String path : new String[] {"/whip", "/whip/echo"}) {
                var plain = options(fixture, path, "");
                assertThat(plain.statusCode()).isEqualTo(204);
                assertThat(header(plain, "Accept-Post")).isEqualTo(SDP);
                assertThat(header(plain, "Allow")).isEqualTo("POST, OPTIONS");
                assertThat(header(plain, "Link")).contains("rel=\"ice-server\"");
                assertThat(header(plain, "Access-Control-Allow-Methods").split(", "))
                        .contains("POST", "PATCH", "DELETE", "OPTIONS");
            }
            var preflight = options(fixture, "/whip/sessions/rtc_x", "https://shop.example");
            assertThat(header(preflight, "Access-Control-Allow-Methods")).contains("PATCH");
            assertThat(header(preflight, "Access-Control-Allow-Headers"))
                    .contains("Authorization", "If-Match", "ETag");
            assertThat(header(preflight, "Accept-Patch")).isEqualTo(FRAGMENT);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "text/plain", "application/json"})
    void tellsWhichTypeItWants(String type) {
        try (var fixture = SignalingFixture.with()) {
            var request = fixture.request("/whip/echo").POST(BodyPublishers.ofString(OFFER));
            if (!type.isEmpty()) {
                request.header("Content-Type", type);
            }
            var response = fixture.send(request);

            assertThat(response.statusCode()).isEqualTo(415);
            assertThat(header(response, "Accept-Post")).isEqualTo(SDP);
            String session = location(fixture.post("/whip/echo", SDP, OFFER));
            var patch =
                    fixture.send(
                            fixture.request(session)
                                    .header("Content-Type", SDP)
                                    .method("PATCH", BodyPublishers.ofString(OFFER)));
            assertThat(patch.statusCode()).isEqualTo(415);
            assertThat(header(patch, "Accept-Patch")).isEqualTo(FRAGMENT);
        }
    }

    @Test
    @DisplayName("RFC 9457: errors are problem details")
    void tellsProblems() {
        try (var fixture = SignalingFixture.with()) {
            fixture.transceiver()
                    .refuse(Status.INVALID_ARGUMENT.withDescription("line 3: no"), "sdp", "");
            var response = fixture.post("/whip/echo", SDP, OFFER);

            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
            assertThat(response.body())
                    .isEqualTo(
                            """
                            {"type":"about:blank","title":"Bad Request","status":400,\
                            "detail":"line 3: no","code":"invalid_offer","param":"sdp"}""");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RESOURCE_EXHAUSTED, 503, capacity_exceeded",
        "UNAVAILABLE, 503, service_unavailable",
        "NOT_FOUND, 404, model_not_found"
    })
    void tellsWhenToComeBack(Status.Code refusal, int status, String code) {
        try (var fixture = SignalingFixture.with()) {
            fixture.transceiver().refuse(refusal.toStatus(), "", "");
            var response = fixture.post("/whip/echo", SDP, OFFER);

            assertThat(response.statusCode()).isEqualTo(status);
            assertThat(json(response).path("code").textValue()).isEqualTo(code);
            assertThat(response.headers().firstValue("Retry-After").isPresent())
                    .isEqualTo(status == 503);
        }
    }

    @Test
    @DisplayName("RFC 9725 4.5: 307 to where there is room")
    void redirectsWhenFull() {
        try (var fixture = SignalingFixture.with("overflow_url", "https://west.example")) {
            fixture.transceiver().refuse(Status.RESOURCE_EXHAUSTED, "", "");
            var response = fixture.post("/whip/echo?x=1", SDP, OFFER);

            assertThat(response.statusCode()).isEqualTo(307);
            assertThat(location(response)).isEqualTo("https://west.example/whip/echo?x=1");
            // Others cannot be told to follow: browsers drop the credential on the way.
            assertThat(fixture.postOffer().statusCode()).isEqualTo(503);
        }
    }

    private static HttpResponse<String> patch(
            SignalingFixture fixture, Signaling at, String session, String match, String body) {
        var request =
                SignalingFixture.request(at, session)
                        .header("Content-Type", FRAGMENT)
                        .method("PATCH", BodyPublishers.ofString(body));
        if (!match.isEmpty()) {
            request.header("If-Match", match);
        }
        return fixture.send(request);
    }

    private static HttpResponse<String> options(
            SignalingFixture fixture, String path, String origin) {
        var request = fixture.request(path).method("OPTIONS", BodyPublishers.noBody());
        if (!origin.isEmpty()) {
            request.header("Origin", origin).header("Access-Control-Request-Method", "PATCH");
        }
        return fixture.send(request);
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}
