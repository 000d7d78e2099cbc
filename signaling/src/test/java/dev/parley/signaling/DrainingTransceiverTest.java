package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.control.ErrorTrailers;
import io.grpc.Status;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls go where they are taken. */
class DrainingTransceiverTest {
    private final SignalingFixture fixture = SignalingFixture.with(4, "load_interval", "60s");

    @AfterEach
    void close() {
        fixture.close();
    }

    private List<FakeTransceiver> firstThree() {
        return fixture.transceivers.subList(0, 3);
    }

    private int asked() {
        return firstThree().stream().mapToInt(transceiver -> transceiver.created.size()).sum();
    }

    @Test
    void passesOverHoweverManyThatDrain() {
        firstThree().forEach(DrainingTransceiverTest::drain);
        for (int i = 0; i < 12; i++) {
            assertThat(fixture.postOffer().statusCode()).isEqualTo(201);
        }
        assertThat(fixture.transceivers.getLast().created).hasSize(12);
        // Each said so once and was believed.
        assertThat(asked()).isLessThanOrEqualTo(3);
    }

    @Test
    void comesBackWhenDrainingWasRevoked() {
        firstThree().forEach(DrainingTransceiverTest::drain);
        try (var other = fixture.startAnother(Map.of("load_interval", "100ms"))) {
            while (asked() < 3) {
                assertThat(post(other)).isEqualTo(201);
            }
            firstThree()
                    .forEach(
                            transceiver -> {
                                transceiver.draining = false;
                                transceiver.refusal = null;
                            });
            int before = asked();
            while (asked() == before) {
                assertThat(post(other)).isEqualTo(201);
            }
        }
    }

    private int post(Signaling signaling) {
        return fixture.send(
                        SignalingFixture.request(signaling, "/v1/realtime/calls")
                                .header("Content-Type", "application/sdp")
                                .POST(HttpRequest.BodyPublishers.ofString(SignalingFixture.OFFER)))
                .statusCode();
    }

    @Test
    void saysSoWhenAllDrain() {
        fixture.transceivers.forEach(DrainingTransceiverTest::drain);
        var response = fixture.postOffer();
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
        assertThat(SignalingFixture.json(response).at("/error/code").textValue())
                .isEqualTo("draining");
    }

    private static void drain(FakeTransceiver transceiver) {
        transceiver.draining = true;
        transceiver.refuse(Status.UNAVAILABLE, "", ErrorTrailers.DRAINING);
    }
}
