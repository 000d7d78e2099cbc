package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import org.junit.jupiter.api.Test;

class HealthTest {
    @Test
    void isLiveAndReady() {
        try (var fixture = SignalingFixture.with(2)) {
            fixture.transceivers.getFirst().draining = true;

            assertThat(fixture.send(fixture.request("/healthz")).body())
                    .isEqualTo("{\"status\":\"live\"}");
            var ready = fixture.send(fixture.request("/readyz"));
            assertThat(ready.statusCode()).isEqualTo(200);
            assertThat(ready.body()).isEqualTo("{\"status\":\"ready\"}");
            var head =
                    fixture.send(
                            fixture.request("/readyz")
                                    .method("HEAD", HttpRequest.BodyPublishers.noBody()));
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.body()).isEmpty();
        }
    }

    @Test
    void saysWhyItIsNotReady() {
        try (var fixture = SignalingFixture.with(2)) {
            fixture.transceivers.get(0).draining = true;
            fixture.transceivers.get(1).close();

            var ready = fixture.send(fixture.request("/readyz"));

            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(ready.body())
                    .isEqualTo(
                            "{\"status\":\"not ready\",\"reasons\":[\"transceiver 1 of 2 is"
                                    + " draining\",\"transceiver 2 of 2 cannot be reached\"]}");
            assertThat(fixture.send(fixture.request("/healthz")).statusCode()).isEqualTo(200);
        }
    }
}
