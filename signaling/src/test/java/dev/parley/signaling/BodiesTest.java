package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.OFFER;
import static dev.parley.signaling.SignalingFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies as hostile or clumsy clients send them, down to the bytes. */
class BodiesTest {
    private static final SignalingFixture FIXTURE = SignalingFixture.with("max_body_bytes", "4096");
    private static final SignalingFixture IMPATIENT =
            SignalingFixture.with("receive_timeout", "300ms");
    private static final String CALLS = "/v1/realtime/calls";
    private static final String HEAD =
            "POST " + CALLS + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/sdp\r\n";

    @AfterAll
    static void stop() {
        FIXTURE.close();
        IMPATIENT.close();
    }

    @Test
    void acceptsABodyOfExactlyTheLimit() {
        String offer = OFFER + "x".repeat(4_096 - OFFER.length());

        assertThat(FIXTURE.post(CALLS, "application/sdp", offer).statusCode()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(ints = {4_097, 10_000, 65_536})
    void refusesALargerBody(int length) {
        HttpResponse<String> response = FIXTURE.post(CALLS, "application/sdp", "x".repeat(length));

        assertTooLarge(response);
    }

    @ParameterizedTest
    @ValueSource(ints = {4_097, 10_000, 65_536})
    void refusesALargerChunkedBody(int length) {
        byte[] body = new byte[length];
        var request =
                FIXTURE.request(CALLS)
                        .header("Content-Type", "application/sdp")
                        .POST(
                                HttpRequest.BodyPublishers.ofInputStream(
                                        () -> new ByteArrayInputStream(body)));

        assertTooLarge(FIXTURE.send(request));
    }

    @Test
    void refusesAnAnnouncedHugeChunkBeforeItArrives() throws IOException {
        try (var client = new RawHttp(FIXTURE.signaling)) {
            client.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n7fffffff\r\nv=0");

            assertThat(client.response()).startsWith("HTTP/1.1 413 ").contains("request_too_large");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void refusesManySmallChunks() throws IOException {
        try (var client = new RawHttp(FIXTURE.signaling)) {
            client.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n");
            client.send("1\r\nx\r\n".repeat(5_000) + "0\r\n\r\n");

            assertThat(client.response()).startsWith("HTTP/1.1 413 ");
        }
    }

    @Test
    void readsChunkedBodies() throws IOException {
        try (var client = new RawHttp(FIXTURE.signaling)) {
            client.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n3\r\nv=0\r\n");
            client.send("9\r\n\r\ns=off\r\n\r\n0\r\n\r\n");

            assertThat(client.response()).startsWith("HTTP/1.1 201 ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 100\r\n\r\nv=0",
                "Transfer-Encoding: chunked\r\n\r\n64\r\nv=0"
            })
    void givesUpOnABodyThatStops(String framing) throws IOException {
        try (var client = new RawHttp(IMPATIENT.signaling)) {
            client.send(HEAD + framing);

            String response = client.response();
            assertThat(response).startsWith("HTTP/1.1 408 ").contains("request_timeout");
            assertThat(response.toLowerCase(Locale.ROOT)).contains("connection: close");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 4000\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\nfa0\r\n",
            })
    void givesUpOnABodyThatDrips(String framing) throws Exception {
        try (var client = new RawHttp(IMPATIENT.signaling)) {
            client.send(HEAD + framing);
            Thread drip =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            while (!Thread.interrupted()) {
                                                client.send("x");
                                                // A byte every 50 ms keeps each single read short.
                                                LockSupport.parkNanos(50_000_000);
                                            }
                                        } catch (IOException closed) {
                                            // The server has had enough, as it should.
                                        }
                                    });

            assertThat(client.response()).startsWith("HTTP/1.1 408 ");
            drip.interrupt();
            drip.join();
        }
    }

    @Test
    void refusesBodiesOnPathsThatDoNotExist() {
        HttpResponse<String> response = FIXTURE.post("/nope", "text/plain", "x".repeat(100));

        assertThat(response.statusCode()).isEqualTo(404);
        assertTooLarge(FIXTURE.post("/nope", "text/plain", "x".repeat(10_000)));
    }

    @Test
    void answersExpectContinue() throws IOException {
        try (var client = new RawHttp(FIXTURE.signaling)) {
            client.send(HEAD + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n");
            assertThat(client.response()).startsWith("HTTP/1.1 100 ");
            client.send("v=0\r\n");
            assertThat(client.response()).startsWith("HTTP/1.1 201 ");
        }
    }

    @Test
    void refusesALargeBodyBeforeItIsSent() throws IOException {
        try (var client = new RawHttp(FIXTURE.signaling)) {
            client.send(HEAD + "Expect: 100-continue\r\nContent-Length: 70000\r\n\r\n");

            assertThat(client.response()).startsWith("HTTP/1.1 413 ").contains("request_too_large");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void keepsTheConnectionAfterARefusal() throws IOException {
        try (var client = new RawHttp(FIXTURE.signaling)) {
            client.send(
                    HEAD.replace("application/sdp", "text/plain") + "Content-Length: 3\r\n\r\nv=0");
            assertThat(client.response()).startsWith("HTTP/1.1 415 ");
            client.send(HEAD + "Content-Length: 3\r\n\r\nv=0");
            assertThat(client.response()).startsWith("HTTP/1.1 201 ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NONSENSE\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n",
                "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            })
    void refusesWhatIsNotHttp(String request) throws IOException {
        try (var client = new RawHttp(FIXTURE.signaling)) {
            client.send(request);

            assertThat(client.response()).startsWith("HTTP/1.1 400 ").contains("invalid_request");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nope", "/healthz", "/", "/main.js", "/v1/realtime/calls/rtc_x"})
    void sendsNoContentAfterHead(String path) throws IOException {
        try (var client = new RawHttp(FIXTURE.signaling)) {
            client.send("HEAD " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.head()).startsWith("HTTP/1.1 ");
            client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.response()).startsWith("HTTP/1.1 200 ").endsWith("live\"}");
        }
    }

    @Test
    void refusesHugeHeaders() throws IOException {
        try (var client = new RawHttp(FIXTURE.signaling)) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\nX: " + "y".repeat(20_000) + "\r\n\r\n");

            assertThat(client.response()).startsWith("HTTP/1.1 4");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nHost: x\r\nX-Slow: "})
    void givesUpOnHeadersThatStop(String start) throws IOException {
        try (var client = new RawHttp(IMPATIENT.signaling)) {
            client.send(start);

            assertThat(client.isClosed()).isTrue();
            assertThat(IMPATIENT.telemetry.snapshot())
                    .hasEntrySatisfying(
                            "parley.signaling.connections_closed{reason=late_head}",
                            count -> assertThat(count).isPositive());
        }
    }

    private static void assertTooLarge(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(json(response).at("/error/code").textValue()).isEqualTo("request_too_large");
    }
}
