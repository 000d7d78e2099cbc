package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.json;
import static dev.parley.signaling.SignalingFixture.location;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CallsTest {
    @Test
    void answersAnOfferWithTheTransceiversAnswer() {
        try (var fixture = SignalingFixture.with()) {
            HttpResponse<String> response =
                    fixture.post(
                            "/v1/realtime/calls?model=echo",
                            "application/sdp",
                            SignalingFixture.OFFER);

            assertThat(response.statusCode()).isEqualTo(201);
            assertThat(response.headers().firstValue("Content-Type")).contains("application/sdp");
            assertThat(location(response)).matches("/v1/realtime/calls/rtc_[A-Za-z0-9_-]{70,}");
            assertThat(response.body()).isEqualTo(FakeTransceiver.ANSWER);
            var created = fixture.transceiver().created.element();
            assertThat(created.getOfferSdp()).isEqualTo(SignalingFixture.OFFER);
            assertThat(created.getModel()).isEqualTo("echo");
            assertThat(created.getRelayAddressesList())
                    .containsExactly("203.0.113.10:3478", "[2001:db8::1]:3478");
            assertThat(created.getAttributesMap())
                    .containsEntry("client_address", "127.0.0.1")
                    .containsKey("user_agent");
        }
    }

    @Test
    void takesTheDefaultModelWhenNoneIsNamed() {
        try (var fixture = SignalingFixture.with("default_model", "tone")) {
            fixture.postOffer();

            assertThat(fixture.transceiver().created.element().getModel()).isEqualTo("tone");
        }
    }

    @Test
    void acceptsAnyAuthorization() {
        try (var fixture = SignalingFixture.with()) {
            for (String authorization : new String[] {"Bearer ek_123", "Bearer", "nonsense"}) {
                var response =
                        fixture.send(
                                fixture.request("/v1/realtime/calls")
                                        .header("Authorization", authorization)
                                        .header("Content-Type", "application/sdp")
                                        .POST(
                                                HttpRequest.BodyPublishers.ofString(
                                                        SignalingFixture.OFFER)));
                assertThat(response.statusCode()).isEqualTo(201);
            }
        }
    }

    @Test
    void endsACallByDelete() {
        try (var fixture = SignalingFixture.with()) {
            String call = location(fixture.postOffer());

            assertThat(fixture.send(fixture.request(call).DELETE()).statusCode()).isEqualTo(200);

            assertThat(fixture.transceiver().sessions).isEmpty();
            var again = fixture.send(fixture.request(call).DELETE());
            assertThat(again.statusCode()).isEqualTo(404);
            assertThat(json(again).at("/error/code").textValue()).isEqualTo("call_not_found");
        }
    }

    @Test
    void endsACallByHangup() {
        try (var fixture = SignalingFixture.with()) {
            String call = location(fixture.postOffer());

            assertThat(fixture.post(call + "/hangup", "text/plain", "").statusCode())
                    .isEqualTo(200);

            assertThat(fixture.transceiver().sessions).isEmpty();
        }
    }

    @Test
    void describesACall() {
        try (var fixture = SignalingFixture.with()) {
            String call = location(fixture.postOffer());

            var response = fixture.send(fixture.request(call));

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(json(response).toString())
                    .isEqualTo(
                            """
                            {"id":"%s","object":"realtime.call","state":"connected","age_ms":1234,\
                            "packets_received":50,"packets_sent":60,\
                            "setup":{"answer_ms":12.5,"first_check_ms":20.0}}"""
                                    .formatted(call.substring(call.lastIndexOf('/') + 1)));
        }
    }

    @Test
    void refusesCallIdsThatCannotBeRead() {
        try (var fixture = SignalingFixture.with()) {
            for (String id : new String[] {"rtc_", "rtc_AAAA", "x", "rtc_" + "A".repeat(73)}) {
                var response = fixture.send(fixture.request("/v1/realtime/calls/" + id).DELETE());
                assertThat(response.statusCode()).isEqualTo(404);
                assertThat(json(response).at("/error/code").textValue())
                        .isEqualTo("call_not_found");
            }
        }
    }

    @Test
    void endsACallThatAnotherInstanceCreated() {
        try (var fixture = SignalingFixture.with(2);
                var other = fixture.startAnother(Map.of())) {
            String first = location(fixture.postOffer());
            String second = location(fixture.postOffer());

            for (String call : new String[] {first, second}) {
                var response = fixture.send(SignalingFixture.request(other, call).DELETE());
                assertThat(response.statusCode()).isEqualTo(200);
            }
            assertThat(fixture.transceivers).allMatch(t -> t.sessions.isEmpty());
        }
    }

    @Test
    void endsACallOnATransceiverThatIsNoLongerConfigured() {
        try (var fixture = SignalingFixture.with(2);
                var other =
                        fixture.startAnother(
                                Map.of(
                                        "transceivers",
                                        fixture.transceivers.get(1).address().toString()))) {
            String onFirst = location(fixture.postOffer());
            while (fixture.transceivers.get(0).sessions.isEmpty()) {
                onFirst = location(fixture.postOffer());
            }

            var response = fixture.send(SignalingFixture.request(other, onFirst).DELETE());

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(fixture.transceivers.get(0).sessions).isEmpty();
        }
    }

    @Test
    void findsTheOwnerWhenTransceiversAreConfiguredByName() {
        try (var fixture = SignalingFixture.with()) {
            int port = fixture.transceiver().address().port();
            try (var byName = fixture.startAnother(Map.of("transceivers", "localhost:" + port))) {
                var created =
                        fixture.send(
                                SignalingFixture.request(byName, "/v1/realtime/calls")
                                        .header("Content-Type", "application/sdp")
                                        .POST(
                                                HttpRequest.BodyPublishers.ofString(
                                                        SignalingFixture.OFFER)));
                assertThat(created.statusCode()).isEqualTo(201);

                // The other instance knows the transceiver by its address alone.
                var ended = fixture.send(fixture.request(location(created)).DELETE());

                assertThat(ended.statusCode()).isEqualTo(200);
            }
        }
    }

    @Test
    void knowsWhichCallsASidebandCouldJoin() {
        try (var fixture = SignalingFixture.with()) {
            String call = location(fixture.postOffer());
            String path = "/v1/realtime?call_id=" + call.substring(call.lastIndexOf('/') + 1);

            assertThat(fixture.send(fixture.request(path)).statusCode()).isEqualTo(426);
            fixture.send(fixture.request(call).DELETE());
            for (String unknown : new String[] {path, "/v1/realtime?call_id=rtc_x"}) {
                var response = fixture.send(fixture.request(unknown));
                assertThat(response.statusCode()).isEqualTo(404);
                assertThat(json(response).at("/error/code").textValue())
                        .isEqualTo("call_id_not_found");
            }
        }
    }

    @Test
    void spreadsCallsOverTransceivers() {
        try (var fixture = SignalingFixture.with(3)) {
            for (int i = 0; i < 60; i++) {
                fixture.postOffer();
            }

            assertThat(fixture.transceivers)
                    .allSatisfy(t -> assertThat(t.created).hasSizeBetween(10, 30));
        }
    }
}
