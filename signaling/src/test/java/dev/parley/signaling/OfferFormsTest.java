package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.OFFER;
import static dev.parley.signaling.SignalingFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.control.v1.CreateSessionRequest;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OfferFormsTest {
    private static final SignalingFixture FIXTURE = SignalingFixture.with();
    private static final String CALLS = "/v1/realtime/calls";

    @AfterAll
    static void stop() {
        FIXTURE.close();
    }

    @BeforeEach
    void forget() {
        FIXTURE.transceiver().created.clear();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/sdp",
                "application/sdp; charset=utf-8",
                "Application/SDP;charset=\"UTF-8\"",
                "application/sdp;charset=us-ascii",
                "application/sdp; charset=ISO-8859-1",
            })
    void acceptsRawSdp(String contentType) {
        assertThat(FIXTURE.post(CALLS, contentType, OFFER).statusCode()).isEqualTo(201);
        assertThat(created().getOfferSdp()).isEqualTo(OFFER);
        assertThat(created().getSessionJson()).isEmpty();
    }

    @Test
    void acceptsTheOlderPath() {
        var response = FIXTURE.post("/v1/realtime?model=echo", "application/sdp", OFFER);

        assertThat(response.statusCode()).isEqualTo(201);
        assertThat(SignalingFixture.location(response)).startsWith("/v1/realtime/calls/rtc_");
        assertThat(created().getModel()).isEqualTo("echo");
    }

    @Test
    void acceptsJson() {
        var response =
                FIXTURE.post(
                        CALLS,
                        "application/json",
                        """
                        {"sdp": "v=0\\r\\ns=offer\\r\\n",
                         "session": {"model": "tone", "temperature": 0.80, "seed": 12345678901234567890}}
                        """);

        assertThat(response.statusCode()).isEqualTo(201);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/sdp");
        assertThat(created().getOfferSdp()).isEqualTo(OFFER);
        assertThat(created().getModel()).isEqualTo("tone");
        assertThat(created().getSessionJson())
                .isEqualTo(
                        "{\"model\":\"tone\",\"temperature\":0.80,\"seed\":12345678901234567890}");
    }

    @Test
    void acceptsJsonWithoutSession() {
        FIXTURE.post(CALLS, "application/json", "{\"sdp\":\"v=0\\r\\ns=offer\\r\\n\"}");

        assertThat(created().getOfferSdp()).isEqualTo(OFFER);
        assertThat(created().getModel()).isEqualTo("parrot");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Content-Type: application/sdp\r\n"})
    void acceptsMultipartWithTypedAndUntypedParts(String partType) {
        String form =
                "--XX\r\nContent-Disposition: form-data; name=\"sdp\"\r\n"
                        + partType
                        + "\r\n"
                        + OFFER
                        + "\r\n--XX\r\nContent-Disposition: form-data; name=\"session\"\r\n\r\n"
                        + "{\"type\":\"realtime\",\"model\":\"echo\"}\r\n--XX--\r\n";

        var response = FIXTURE.post(CALLS, "multipart/form-data; boundary=XX", form);

        assertThat(response.statusCode()).isEqualTo(201);
        assertThat(created().getOfferSdp()).isEqualTo(OFFER);
        assertThat(created().getModel()).isEqualTo("echo");
        assertThat(created().getSessionJson())
                .isEqualTo("{\"type\":\"realtime\",\"model\":\"echo\"}");
    }

    @Test
    void takesTheModelOfTheQueryBeforeThatOfTheSession() {
        FIXTURE.post(
                CALLS + "?model=silence",
                "application/json",
                "{\"sdp\":\"v=0\",\"session\":{\"model\":\"tone\"}}");

        assertThat(created().getModel()).isEqualTo("silence");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "application/sdp||invalid_offer|sdp",
                "application/sdp|`   `|invalid_offer|sdp",
                "application/json|{|invalid_request|",
                "application/json|[]|invalid_request|",
                "application/json|{} {}|invalid_request|",
                "application/json|{}|invalid_offer|sdp",
                "application/json|{\"sdp\":7}|invalid_offer|sdp",
                "application/json|{\"sdp\":\"v=0\",\"session\":7}|invalid_request|session",
                "application/json|{\"sdp\":\"a\",\"sdp\":\"b\"}|invalid_request|",
                "multipart/form-data|x|invalid_request|",
                "multipart/form-data; boundary=b|x|invalid_request|",
            })
    void refusesMalformedBodies(String contentType, String body, String code, String param) {
        HttpResponse<String> response = FIXTURE.post(CALLS, contentType, body == null ? "" : body);

        assertThat(response.statusCode()).isEqualTo(400);
        var error = json(response).get("error");
        assertThat(error.get("code").textValue()).isEqualTo(code);
        assertThat(error.get("param").textValue()).isEqualTo(param);
        assertThat(FIXTURE.transceiver().created).isEmpty();
    }

    @Test
    void refusesBytesThatAreNotText() {
        byte[] latin = "v=0\r\ns=caf\u00e9\r\n".getBytes(StandardCharsets.ISO_8859_1);
        var request =
                FIXTURE.request(CALLS)
                        .header("Content-Type", "application/sdp")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(latin));

        var response = FIXTURE.send(request);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response).at("/error/message").textValue()).contains("UTF-8");
    }

    @Test
    void refusesDeeplyNestedJson() {
        String body = "{\"sdp\":\"v=0\",\"session\":" + "[".repeat(10_000);

        assertThat(FIXTURE.post(CALLS, "application/json", body).statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/sdp+x",
                "application/x-www-form-urlencoded",
                "nonsense",
                "application/sdp; charset=utf-16",
            })
    void refusesOtherContentTypes(String contentType) {
        HttpResponse<String> response = FIXTURE.post(CALLS, contentType, OFFER);

        assertThat(response.statusCode()).isEqualTo(415);
        assertThat(json(response).at("/error/message").textValue())
                .contains("application/sdp, application/json, multipart/form-data");
    }

    @Test
    void refusesAMissingContentType() {
        var request = FIXTURE.request(CALLS).POST(HttpRequest.BodyPublishers.ofString(OFFER));

        HttpResponse<String> response = FIXTURE.send(request);

        assertThat(response.statusCode()).isEqualTo(415);
        assertThat(json(response).at("/error/message").textValue())
                .startsWith("The request has no Content-Type. Send the offer as application/sdp");
    }

    private static CreateSessionRequest created() {
        return FIXTURE.transceiver().created.element();
    }
}
