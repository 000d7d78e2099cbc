package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.control.ErrorTrailers;
import io.grpc.Status;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls for which there is no room are refused before anything is done for them. */
class AdmissionTest {
    private static HttpResponse<String> refusedAtTheGate(SignalingFixture fixture) {
        // What a transceiver said counts for a tenth of a second, and the machine may be slow.
        while (true) {
            int asked = fixture.transceiver().created.size();
            HttpResponse<String> refusal = fixture.postOffer();
            assertThat(refusal.statusCode()).isEqualTo(503);
            if (fixture.transceiver().created.size() == asked) {
                return refusal;
            }
        }
    }

    @Test
    @Timeout(120)
    void asksNobodyWhileAllHaveNoTime() {
        try (var fixture = SignalingFixture.with()) {
            fixture.transceiver().refuse(Status.UNAVAILABLE, "", ErrorTrailers.OVERLOADED);
            HttpResponse<String> refusal = refusedAtTheGate(fixture);
            assertThat(SignalingFixture.json(refusal).at("/error/code").textValue())
                    .isEqualTo("overloaded");
            assertThat(Integer.parseInt(refusal.headers().firstValue("Retry-After").orElseThrow()))
                    .isBetween(1, 4);
            assertThat(
                            fixture.telemetry
                                    .snapshot()
                                    .get("parley.signaling.admission.refused{reason=transceivers}"))
                    .isGreaterThanOrEqualTo(1L);
        }
    }

    @Test
    @Timeout(120)
    void asksNobodyWhileAllAreFull() {
        try (var fixture = SignalingFixture.with()) {
            fixture.transceiver()
                    .refuse(Status.RESOURCE_EXHAUSTED, "", ErrorTrailers.SESSION_LIMIT);
            assertThat(
                            SignalingFixture.json(refusedAtTheGate(fixture))
                                    .at("/error/code")
                                    .textValue())
                    .isEqualTo("capacity_exceeded");
        }
    }

    @Test
    @Timeout(120)
    void asksAgainSoon() {
        try (var fixture = SignalingFixture.with()) {
            fixture.transceiver().refuse(Status.UNAVAILABLE, "", ErrorTrailers.OVERLOADED);
            assertThat(fixture.postOffer().statusCode()).isEqualTo(503);
            fixture.transceiver().refusal = null;
            while (fixture.postOffer().statusCode() != 201) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void aModelThatIsFullKeepsNobodyFromOthers() {
        try (var fixture = SignalingFixture.with()) {
            fixture.transceiver().refuse(Status.RESOURCE_EXHAUSTED, "model", "model_overloaded");
            for (int i = 1; i <= 5; i++) {
                assertThat(fixture.postOffer().statusCode()).isEqualTo(503);
                assertThat(fixture.transceiver().created).hasSize(i);
            }
        }
    }

    @Test
    @Timeout(120)
    void callsThatExistPassFreely() {
        try (var fixture = SignalingFixture.with()) {
            String call = SignalingFixture.location(fixture.postOffer());
            fixture.transceiver().refuse(Status.UNAVAILABLE, "", ErrorTrailers.OVERLOADED);
            refusedAtTheGate(fixture);
            fixture.transceiver().refusal = null;

            assertThat(fixture.send(fixture.request(call).GET()).statusCode()).isEqualTo(200);
            assertThat(
                            fixture.send(
                                            fixture.request(call)
                                                    .header("Content-Type", "application/sdp")
                                                    .method(
                                                            "PATCH",
                                                            HttpRequest.BodyPublishers.ofString(
                                                                    SignalingFixture.OFFER)))
                                    .statusCode())
                    .isLessThan(300);
            assertThat(fixture.send(fixture.request(call).DELETE()).statusCode()).isEqualTo(200);
        }
    }

    @Test
    @Timeout(120)
    void aRefusalLeavesTheConnectionUsable() throws IOException {
        try (var fixture = SignalingFixture.with();
                var raw = new RawHttp(fixture.signaling)) {
            fixture.transceiver().refuse(Status.UNAVAILABLE, "", ErrorTrailers.OVERLOADED);
            refusedAtTheGate(fixture);
            for (int i = 0; i < 3; i++) {
                raw.send(
                        "POST /v1/realtime/calls HTTP/1.1\r\nHost: x\r\n"
                                + "Content-Type: application/sdp\r\nContent-Length: 5000\r\n\r\n"
                                + "v".repeat(5_000));
                assertThat(raw.response()).startsWith("HTTP/1.1 503 ");
            }
            raw.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(raw.response()).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    @Timeout(120)
    void clientsThatFollowAreSentElsewhere() {
        try (var fixture = SignalingFixture.with("overflow_url", "https://west.example")) {
            fixture.transceiver().refuse(Status.UNAVAILABLE, "", ErrorTrailers.OVERLOADED);
            refusedAtTheGate(fixture);
            HttpResponse<String> response =
                    fixture.post("/whip/parrot", "application/sdp", SignalingFixture.OFFER);
            assertThat(response.statusCode()).isEqualTo(307);
            assertThat(SignalingFixture.location(response))
                    .isEqualTo("https://west.example/whip/parrot");
        }
    }

    @Test
    @Timeout(120)
    void soManyMayWaitToBeStarted() {
        try (var fixture = SignalingFixture.with("max_starting", "2")) {
            fixture.transceiver().silent = true;
            for (int i = 1; i <= 2; i++) {
                var _ = CompletableFuture.supplyAsync(fixture::postOffer);
                while (fixture.transceiver().created.size() < i) {
                    Thread.onSpinWait();
                }
            }
            HttpResponse<String> third = fixture.postOffer();
            assertThat(third.statusCode()).isEqualTo(503);
            assertThat(fixture.transceiver().created).hasSize(2);
            assertThat(
                            fixture.telemetry
                                    .snapshot()
                                    .get("parley.signaling.admission.refused{reason=starting}"))
                    .isEqualTo(1L);
        }
    }

    @Test
    @Timeout(120)
    void onlyThoseThatHaveRoomAreAsked() {
        try (var fixture = SignalingFixture.with(2)) {
            fixture.transceiver().refuse(Status.UNAVAILABLE, "", ErrorTrailers.OVERLOADED);
            for (int i = 0; i < 20; i++) {
                assertThat(fixture.postOffer().statusCode()).isEqualTo(201);
            }
            assertThat(fixture.transceivers.getLast().created).hasSize(20);
        }
    }
}
