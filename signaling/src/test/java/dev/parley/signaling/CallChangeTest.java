package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.json;
import static dev.parley.signaling.SignalingFixture.location;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import io.grpc.Status;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trickled candidates and ICE restarts through PATCH (RFC 9725 4.3) and through a new offer. */
class CallChangeTest {
    private static final String FRAGMENT = "application/trickle-ice-sdpfrag";
    private static final String TRICKLE = "a=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\n";

    private final SignalingFixture fixture = SignalingFixture.with();
    private final String call = location(fixture.postOffer());

    @AfterEach
    void close() {
        fixture.close();
    }

    private HttpResponse<String> change(
            String method, String type, String body, String... headers) {
        HttpRequest.Builder request =
                fixture.request(call)
                        .header("Content-Type", type)
                        .method(method, HttpRequest.BodyPublishers.ofString(body));
        return fixture.send(headers.length == 0 ? request : request.headers(headers));
    }

    private UpdateSessionRequest asked() {
        return fixture.transceiver().updates.element();
    }

    @Test
    void givesACallsFirstIceSessionAnEntityTag() {
        assertThat(fixture.postOffer().headers().firstValue("ETag")).contains("\"0\"");
    }

    @Test
    void passesTrickledCandidatesOnAndAnswers204() {
        HttpResponse<String> response = change("PATCH", FRAGMENT, TRICKLE, "If-Match", "\"0\"");

        assertThat(response.statusCode()).isEqualTo(204);
        assertThat(response.body()).isEmpty();
        assertThat(asked().getIceFragment()).isEqualTo(TRICKLE);
        assertThat(asked().getIceGeneration()).isZero();
        assertThat(asked().hasIceGeneration()).isTrue();
        assertThat(asked().getIceRestart()).isFalse();
    }

    @Test
    void needsNoIfMatch() {
        assertThat(change("PATCH", FRAGMENT, TRICKLE).statusCode()).isEqualTo(204);
        assertThat(asked().hasIceGeneration()).isFalse();
    }

    @Test
    void answersARestartWithTheFragmentAndItsNewTag() {
        fixture.transceiver().update =
                UpdateSessionResponse.newBuilder()
                        .setIceFragment("a=ice-lite\r\n")
                        .setIceGeneration(3)
                        .build();
        HttpResponse<String> response = change("PATCH", FRAGMENT, TRICKLE, "If-Match", "*");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("a=ice-lite\r\n");
        assertThat(response.headers().firstValue("Content-Type")).contains(FRAGMENT);
        assertThat(response.headers().firstValue("ETag")).contains("\"3\"");
        assertThat(asked().getIceRestart()).isTrue();
        assertThat(asked().hasIceGeneration()).isFalse();
        assertThat(asked().getRelayAddressesList()).contains("203.0.113.10:3478");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PATCH", "POST"})
    void answersANewOffer(String method) {
        fixture.transceiver().update =
                UpdateSessionResponse.newBuilder()
                        .setAnswerSdp("v=0\r\ns=later\r\n")
                        .setIceGeneration(1)
                        .build();
        HttpResponse<String> response = change(method, "application/sdp", SignalingFixture.OFFER);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("v=0\r\ns=later\r\n");
        assertThat(response.headers().firstValue("Content-Type")).contains("application/sdp");
        assertThat(asked().getOfferSdp()).isEqualTo(SignalingFixture.OFFER);
    }

    @Test
    void changesACallThroughAnyInstance() {
        try (Signaling other = fixture.startAnother(Map.of())) {
            HttpResponse<String> response =
                    fixture.send(
                            SignalingFixture.request(other, call)
                                    .header("Content-Type", FRAGMENT)
                                    .method("PATCH", HttpRequest.BodyPublishers.ofString(TRICKLE)));
            assertThat(response.statusCode()).isEqualTo(204);
        }
    }

    @Test
    void answers412WhenTheCallHasGoneOn() {
        fixture.transceiver()
                .refuse(
                        Status.FAILED_PRECONDITION.withDescription("the call is in 2"),
                        "",
                        "ice_session_changed");
        HttpResponse<String> response = change("PATCH", FRAGMENT, TRICKLE, "If-Match", "\"1\"");

        assertThat(response.statusCode()).isEqualTo(412);
        assertThat(json(response).at("/error/code").textValue()).isEqualTo("ice_session_changed");
        assertThat(json(response).at("/error/message").textValue()).isEqualTo("the call is in 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"W/\"0\"", "0", "\"zero\"", "\"\"", "\"99999999999\""})
    void answers412ToATagThatIsNoneOfOurs(String tag) {
        HttpResponse<String> response = change("PATCH", FRAGMENT, TRICKLE, "If-Match", tag);

        assertThat(response.statusCode()).isEqualTo(412);
        assertThat(fixture.transceiver().updates).isEmpty();
    }

    @Test
    void answers415ToAnotherType() {
        HttpResponse<String> response = change("PATCH", "text/plain", TRICKLE);

        assertThat(response.statusCode()).isEqualTo(415);
    }

    @Test
    void answers404WhenTheCallIsOver() {
        fixture.send(fixture.request(call).DELETE());

        assertThat(change("PATCH", FRAGMENT, TRICKLE).statusCode()).isEqualTo(404);
    }

    @Test
    void letsPagesOfOtherOriginsPatch() {
        HttpResponse<String> response =
                fixture.send(
                        fixture.request(call)
                                .header("Origin", "https://elsewhere.example")
                                .header("Access-Control-Request-Method", "PATCH")
                                .method("OPTIONS", HttpRequest.BodyPublishers.noBody()));

        assertThat(response.headers().firstValue("Access-Control-Allow-Methods").orElse(""))
                .contains("PATCH");
    }
}
