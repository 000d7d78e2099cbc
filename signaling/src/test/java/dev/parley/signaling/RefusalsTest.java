package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.OFFER;
import static dev.parley.signaling.SignalingFixture.json;
import static dev.parley.signaling.SignalingFixture.location;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RefusalsTest {
    private static final String CALLS = "/v1/realtime/calls";

    @Test
    void tellsWhichLineOfTheOfferIsBad() {
        try (var fixture = SignalingFixture.with()) {
            fixture.transceiver()
                    .refuse(
                            Status.INVALID_ARGUMENT.withDescription(
                                    "line 3 \"m=audio x\": the port is not a number"),
                            "sdp",
                            "");

            HttpResponse<String> response = fixture.postOffer();

            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
            assertThat(response.body())
                    .isEqualTo(
                            """
                            {"error":{"message":"line 3 \\"m=audio x\\": the port is not a number",\
                            "type":"invalid_request_error","code":"invalid_offer","param":"sdp"}}""");
        }
    }

    @Test
    void tellsThatTheModelIsUnknown() {
        try (var fixture = SignalingFixture.with()) {
            fixture.transceiver()
                    .refuse(Status.NOT_FOUND.withDescription("no model \"x\""), "model", "");

            HttpResponse<String> response =
                    fixture.post(CALLS + "?model=x", "application/sdp", OFFER);

            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(response.body())
                    .isEqualTo(
                            """
                            {"error":{"message":"no model \\"x\\"","type":"invalid_request_error",\
                            "code":"model_not_found","param":"model"}}""");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "%20", "a%20b", "%3Cscript%3E", "%00"})
    void refusesImpossibleModelNamesWithoutAsking(String model) {
        try (var fixture = SignalingFixture.with()) {
            HttpResponse<String> response =
                    fixture.post(CALLS + "?model=" + model, "application/sdp", OFFER);

            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(json(response).at("/error/code").textValue()).isEqualTo("model_not_found");
            assertThat(json(response).at("/error/param").textValue()).isEqualTo("model");
            assertThat(fixture.transceiver().created).isEmpty();
        }
    }

    @Test
    void tellsWhoSpeaksHttp10WhatToSpeak() throws IOException {
        try (var fixture = SignalingFixture.with();
                var client = new RawHttp(fixture.signaling)) {
            client.send("GET /healthz HTTP/1.0\r\n\r\n");

            assertThat(client.response())
                    .startsWith("HTTP/1.1 505 ")
                    .contains("\"http_version_not_supported\"", "Use HTTP/1.1");
        }
    }

    @Test
    void refusesTwoModels() {
        try (var fixture = SignalingFixture.with()) {
            HttpResponse<String> response =
                    fixture.post(CALLS + "?model=a&model=b", "application/sdp", OFFER);

            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(json(response).at("/error/param").textValue()).isEqualTo("model");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RESOURCE_EXHAUSTED, 503, capacity_exceeded",
        "UNAVAILABLE, 503, service_unavailable",
        "DEADLINE_EXCEEDED, 503, upstream_timeout",
        "INTERNAL, 500, internal_error",
        "UNIMPLEMENTED, 500, internal_error",
        "UNKNOWN, 500, internal_error",
    })
    void mapsTheTransceiversTroubles(Status.Code grpc, int status, String code) {
        try (var fixture = SignalingFixture.with()) {
            fixture.transceiver()
                    .refuse(grpc.toStatus().withDescription("secret 10.0.0.7"), "", "");

            HttpResponse<String> response = fixture.postOffer();

            assertThat(response.statusCode()).isEqualTo(status);
            assertThat(json(response).at("/error/code").textValue()).isEqualTo(code);
            assertThat(json(response).at("/error/type").textValue()).isEqualTo("server_error");
            assertThat(response.body()).doesNotContain("secret").doesNotContain("10.0.0.7");
            assertThat(response.headers().firstValue("Retry-After").isPresent())
                    .isEqualTo(status == 503);
        }
    }

    @Test
    void passesOnTheTransceiversOwnErrorCode() {
        try (var fixture = SignalingFixture.with()) {
            fixture.transceiver().refuse(Status.UNAVAILABLE, "", "draining");

            assertThat(json(fixture.postOffer()).at("/error/code").textValue())
                    .isEqualTo("draining");
            assertThat(fixture.telemetry.snapshot())
                    .containsEntry("parley.signaling.errors{code=draining}", 1L);
        }
    }

    @Test
    void refusesWhenNoTransceiverCanBeReached() {
        try (var fixture = SignalingFixture.with()) {
            String call = location(fixture.postOffer());
            fixture.transceiver().close();

            for (var response :
                    new HttpResponse<?>[] {
                        fixture.postOffer(), fixture.send(fixture.request(call).DELETE())
                    }) {
                assertThat(response.statusCode()).isEqualTo(503);
                assertThat(response.headers().firstValue("Retry-After")).contains("2");
                assertThat(response.body().toString()).contains("service_unavailable");
            }
        }
    }

    @Test
    void refusesWhenTheTransceiverDoesNotAnswerInTime() {
        try (var fixture = SignalingFixture.with("create_timeout", "50ms")) {
            fixture.transceiver().silent = true;

            HttpResponse<String> response = fixture.postOffer();

            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(json(response).at("/error/code").textValue()).isEqualTo("upstream_timeout");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UNAVAILABLE", "RESOURCE_EXHAUSTED"})
    void triesASecondTransceiver(Status.Code grpc) {
        try (var fixture = SignalingFixture.with(2)) {
            fixture.transceivers.get(0).refuse(grpc.toStatus(), "", "");

            assertThat(fixture.postOffer().statusCode()).isEqualTo(201);
            assertThat(fixture.postOffer().statusCode()).isEqualTo(201);
            assertThat(fixture.transceivers.get(1).created).hasSize(2);
            assertThat(fixture.telemetry.snapshot())
                    .hasEntrySatisfying(
                            "parley.signaling.calls{event=retried}",
                            retries -> assertThat(retries).isPositive());
        }
    }

    @Test
    void triesASecondTransceiverWhenTheFirstIsGone() {
        try (var fixture = SignalingFixture.with(2)) {
            fixture.transceivers.get(0).close();

            for (int i = 0; i < 4; i++) {
                assertThat(fixture.postOffer().statusCode()).isEqualTo(201);
            }
        }
    }

    @Test
    void triesASecondTransceiverWhenTheFirstIsSilent() {
        try (var fixture = SignalingFixture.with(2, "create_timeout", "3s")) {
            // Warm, so that the deadline is spent on silence and not on connecting.
            fixture.postOffer();
            fixture.postOffer();
            fixture.transceivers.get(0).silent = true;

            assertThat(fixture.postOffer().statusCode()).isEqualTo(201);
        }
    }

    @Test
    void triesNoMoreThanTwo() {
        try (var fixture = SignalingFixture.with(3)) {
            fixture.transceivers.forEach(t -> t.refuse(Status.UNAVAILABLE, "", ""));

            assertThat(fixture.postOffer().statusCode()).isEqualTo(503);
            assertThat(fixture.transceivers.stream().mapToInt(t -> t.created.size()).sum())
                    .isEqualTo(2);
        }
    }

    @Test
    void doesNotRetryABadOffer() {
        try (var fixture = SignalingFixture.with(2)) {
            fixture.transceivers.forEach(t -> t.refuse(Status.INVALID_ARGUMENT, "sdp", ""));

            assertThat(fixture.postOffer().statusCode()).isEqualTo(400);
            assertThat(fixture.transceivers.stream().mapToInt(t -> t.created.size()).sum())
                    .isEqualTo(1);
        }
    }

    @Test
    void limitsCallsOfOneAddress() {
        try (var fixture =
                SignalingFixture.with("rate_limit_per_minute", "1", "rate_limit_burst", "2")) {
            assertThat(fixture.postOffer().statusCode()).isEqualTo(201);
            assertThat(fixture.postOffer().statusCode()).isEqualTo(201);

            HttpResponse<String> response = fixture.postOffer();

            assertThat(response.statusCode()).isEqualTo(429);
            assertThat(response.headers().firstValueAsLong("Retry-After").orElse(0))
                    .isBetween(1L, 61L);
            assertThat(json(response).at("/error/type").textValue()).isEqualTo("rate_limit_error");
            assertThat(json(response).at("/error/code").textValue())
                    .isEqualTo("rate_limit_exceeded");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1", "/v1/realtime/nope", "/x/../y", "/v1/realtime/calls/a/b"})
    void answersUnknownPathsInJson(String path) {
        try (var fixture = SignalingFixture.with()) {
            HttpResponse<String> response = fixture.send(fixture.request(path));

            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(json(response).at("/error/code").textValue()).isEqualTo("not_found");
            var head =
                    fixture.send(
                            fixture.request(path)
                                    .method("HEAD", HttpRequest.BodyPublishers.noBody()));
            assertThat(head.statusCode()).isEqualTo(404);
            assertThat(head.body()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v1/realtime/calls, 'POST, OPTIONS'",
        "PUT, /v1/realtime, 'POST, GET, HEAD, OPTIONS'",
        "PUT, /v1/realtime/calls/rtc_x, 'GET, PATCH, POST, DELETE, HEAD, OPTIONS'",
        "GET, /v1/realtime/calls/rtc_x/hangup, 'POST, OPTIONS'",
        "DELETE, /healthz, 'GET, HEAD, OPTIONS'",
    })
    void namesTheMethodsThatAPathHas(String method, String path, String allow) {
        try (var fixture = SignalingFixture.with()) {
            var request = fixture.request(path).method(method, HttpRequest.BodyPublishers.noBody());

            HttpResponse<String> response = fixture.send(request);

            assertThat(response.statusCode()).isEqualTo(405);
            assertThat(response.headers().firstValue("Allow")).contains(allow);
            assertThat(json(response).at("/error/code").textValue())
                    .isEqualTo("method_not_allowed");
        }
    }
}
