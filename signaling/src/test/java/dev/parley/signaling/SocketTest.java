package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.OFFER;
import static dev.parley.signaling.SignalingFixture.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.signaling.auth.ApiKeys;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SocketTest {
    private static final OpenApi DESCRIPTION = OpenApi.load();

    @TempDir private Path folder;

    @Test
    void startsTricklesRestartsAndEnds() throws Exception {
        try (var fixture = SignalingFixture.with();
                var client = new Client(fixture.signaling, "")) {
            JsonNode answer =
                    client.ask("{'type':'offer','id':'1','sdp':'v=0','model':'echo','session':{}}");
            assertThat(answer.path("type").textValue()).isEqualTo("answer");
            assertThat(answer.path("id").textValue()).isEqualTo("1");
            assertThat(answer.path("sdp").textValue()).isEqualTo(FakeTransceiver.ANSWER);
            assertThat(answer.path("call").textValue()).startsWith("rtc_");
            assertThat(fixture.transceiver().created.element().getModel()).isEqualTo("echo");

            client.send(
                    "{'type':'trickle','candidate':{'candidate':'candidate:1 1 udp 1 192.0.2.1 9"
                            + " typ host','sdpMid':'0','usernameFragment':'x'}}");
            JsonNode trickled = client.ask("{'type':'trickle','id':'2','candidate':null}");
            assertThat(trickled.path("id").textValue()).isEqualTo("2");
            JsonNode restarted = client.ask("{'type':'restart','sdp':'v=0'}");
            assertThat(restarted.path("sdp").textValue()).isNotEmpty();
            assertThat(restarted.path("ice_generation").intValue()).isEqualTo(1);

            JsonNode ended = client.ask("{'type':'hangup','id':'3'}");
            assertThat(ended.path("type").textValue()).isEqualTo("ended");
            assertThat(ended.path("reason").textValue()).isEqualTo("client_hangup");
            assertThat(fixture.transceiver().sessions).isEmpty();
            // The connection is free for another call.
            assertThat(client.ask("{'type':'offer','sdp':'v=0'}").path("type").textValue())
                    .isEqualTo("answer");
        }
    }

    @Test
    void tellsHowTheCallIsAndThatItEnded() throws Exception {
        try (var fixture = SignalingFixture.with();
                var client = new Client(fixture.signaling, "")) {
            client.ask("{'type':'offer','sdp':'v=0'}");
            assertThat(client.next().path("state").textValue()).isEqualTo("connected");

            fixture.transceiver().ended.addAll(fixture.transceiver().sessions);
            JsonNode ended = client.next();
            assertThat(ended.path("type").textValue()).isEqualTo("ended");
            assertThat(ended.path("reason").textValue()).isEqualTo("agent_hangup");
            assertThat(ended.path("message").textValue()).isEqualTo("bye");
        }
    }

    @Test
    void tellsThatACallIsOutOfReachForTooLong() throws Exception {
        try (var fixture = SignalingFixture.with("unreachable_after", "1ms");
                var client = new Client(fixture.signaling, "")) {
            String call = client.ask("{'type':'offer','sdp':'v=0'}").path("call").textValue();
            assertThat(client.next().path("state").textValue()).isEqualTo("connected");

            fixture.transceiver().mute = true;
            JsonNode ended = client.next();
            assertThat(ended.path("type").textValue()).isEqualTo("ended");
            assertThat(ended.path("reason").textValue()).isEqualTo("unreachable");
            // It may have been but signaling that lost it from sight.
            fixture.transceiver().mute = false;
            assertThat(client.ask("{'type':'attach','call':'" + call + "'}").path("state"))
                    .hasToString("\"connected\"");
        }
    }

    @Test
    void waitsForATransceiverThatDoesNotAnswerForAWhile() throws Exception {
        try (var fixture = SignalingFixture.with();
                var client = new Client(fixture.signaling, "")) {
            client.ask("{'type':'offer','sdp':'v=0'}");
            assertThat(client.next().path("state").textValue()).isEqualTo("connected");
            fixture.transceiver().mute = true;
            fixture.transceiver().muted.await();
            fixture.transceiver().ended.addAll(fixture.transceiver().sessions);
            fixture.transceiver().mute = false;
            assertThat(client.next().path("reason").textValue()).isEqualTo("agent_hangup");
        }
    }

    @Test
    void takesUpACallAfterTheConnectionBroke() throws Exception {
        try (var fixture = SignalingFixture.with();
                var other = fixture.startAnother(Map.of())) {
            String call;
            try (var client = new Client(fixture.signaling, "")) {
                call = client.ask("{'type':'offer','sdp':'v=0'}").path("call").textValue();
            }
            try (var client = new Client(other, "")) {
                JsonNode state = client.ask("{'type':'attach','id':'a','call':'" + call + "'}");
                assertThat(state.path("state").textValue()).isEqualTo("connected");
                assertThat(client.ask("{'type':'hangup'}").path("type").textValue())
                        .isEqualTo("ended");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "nonsense|invalid_request",
                "[]|invalid_request",
                "{}|invalid_request",
                "{'type':'shout'}|invalid_request",
                "{'type':'offer'}|invalid_offer",
                "{'type':'offer','sdp':'v=0','model':'a b'}|model_not_found",
                "{'type':'offer','sdp':'v=0','session':7}|invalid_request",
                "{'type':'attach','call':'rtc_x'}|call_not_found",
                "{'type':'trickle'}|invalid_request",
                "{'type':'trickle','fragment':'a=x'}|invalid_request",
                "{'type':'trickle','candidate':{'candidate':'a\\r\\nb'}}|invalid_request",
                "{'type':'restart','sdp':'v=0'}|invalid_request",
                "{'type':'hangup'}|invalid_request",
            })
    void saysWhatIsWrongAndGoesOn(String message, String code) throws Exception {
        try (var fixture = SignalingFixture.with();
                var client = new Client(fixture.signaling, "")) {
            JsonNode error = client.ask(message);
            assertThat(error.path("type").textValue()).isEqualTo("error");
            assertThat(error.at("/error/code").textValue()).isEqualTo(code);
            assertThat(client.ask("{'type':'offer','sdp':'v=0'}").path("type").textValue())
                    .isEqualTo("answer");
        }
    }

    @Test
    void hasOneCallAtATime() throws Exception {
        try (var fixture = SignalingFixture.with();
                var client = new Client(fixture.signaling, "")) {
            client.ask("{'type':'offer','sdp':'v=0'}");
            JsonNode second = client.ask("{'type':'offer','id':'2','sdp':'v=0'}");
            assertThat(second.path("type").textValue()).isEqualTo("error");
            assertThat(second.path("id").textValue()).isEqualTo("2");
        }
    }

    @Test
    void endsClientsThatSayTooMuch() throws Exception {
        try (var fixture = SignalingFixture.with("max_body_bytes", "2000")) {
            try (var client = new Client(fixture.signaling, "")) {
                client.send("{'type':'offer','sdp':'" + "x".repeat(3_000) + "'}");
                client.closed.get(30, TimeUnit.SECONDS);
            }
            try (var client = new Client(fixture.signaling, "")) {
                while (!client.closed.isDone()) {
                    client.send("{}");
                }
            }
            try (var client = new Client(fixture.signaling, "")) {
                assertThat(client.ask("{'type':'offer','sdp':'v=0'}").path("type").textValue())
                        .isEqualTo("answer");
            }
        }
    }

    @Test
    void outlivesTheTimesThatRequestsHave() throws Exception {
        try (var fixture =
                        SignalingFixture.with(
                                "receive_timeout", "100ms",
                                "create_timeout", "1s",
                                "control_timeout", "1s");
                var client = new Client(fixture.signaling, "")) {
            client.ask("{'type':'offer','sdp':'v=0'}");
            // Two looks at the call, one second each, are longer than any of those.
            client.next();
            fixture.transceiver().sessions.clear();
            assertThat(client.next().path("type").textValue()).isEqualTo("ended");
        }
    }

    @Test
    void asksWhoItIs() throws Exception {
        ApiKeys.Generated shop = ApiKeys.generate("shop", new SecureRandom());
        Path keys = folder.resolve("keys.json");
        Files.writeString(keys, "{\"keys\":[" + shop.fileEntry() + "]}");
        try (var fixture = SignalingFixture.with("api_keys_file", keys.toString())) {
            assertRefused(fixture, "", 401);
            assertRefused(fixture, "parley.bearer.nonsense", 401);
            try (var client =
                    new Client(fixture.signaling, "realtime, parley.bearer." + shop.key())) {
                assertThat(client.socket.getSubprotocol()).isEqualTo("realtime");
                client.ask("{'type':'offer','sdp':'v=0'}");
                assertThat(fixture.transceiver().created.element().getAttributesMap())
                        .containsEntry("caller", "key:shop")
                        .containsEntry("protocol", "websocket");
            }
        }
    }

    @Test
    void refusesPagesOfOtherOrigins() throws Exception {
        try (var fixture = SignalingFixture.with("allowed_origins", "https://shop.example");
                var client = new RawHttp(fixture.signaling)) {
            client.send(upgrade("https://evil.example"));
            assertThat(client.response()).startsWith("HTTP/1.1 403 ").contains("forbidden");
            client.send(upgrade("https://shop.example"));
            assertThat(client.head())
                    .startsWith("HTTP/1.1 101 ")
                    // RFC 6455 1.3.
                    .contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"WebSocket", "WEBSOCKET"})
    void knowsItsProtocolHoweverItIsWritten(String name) throws IOException {
        try (var fixture = SignalingFixture.with();
                var client = new RawHttp(fixture.signaling)) {
            client.send(
                    upgrade("https://shop.example")
                            .replace("Upgrade: websocket", "Upgrade: " + name));
            assertThat(client.head()).startsWith("HTTP/1.1 101 ");
        }
    }

    @Test
    void saysWhatItIsToThoseWhoDoNotUpgrade() {
        try (var fixture = SignalingFixture.with()) {
            var response = fixture.send(fixture.request("/v1/realtime/signaling"));
            assertThat(response.statusCode()).isEqualTo(426);
            assertThat(response.headers().firstValue("Sec-WebSocket-Version")).contains("13");
            assertThat(json(response).at("/error/code").textValue()).isEqualTo("upgrade_required");
        }
    }

    private static void assertRefused(SignalingFixture fixture, String protocol, int status) {
        assertThatThrownBy(() -> new Client(fixture.signaling, protocol))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        WebSocketHandshakeException.class,
                        e -> assertThat(e.getResponse().statusCode()).isEqualTo(status));
    }

    private static String upgrade(String origin) {
        return "GET /v1/realtime/signaling HTTP/1.1\r\nHost: x\r\nOrigin: "
                + origin
                + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    }

    /** The JDK's WebSocket client; every message that it gets is as described. */
    private static final class Client implements WebSocket.Listener, AutoCloseable {
        private final HttpClient http = HttpClient.newHttpClient();
        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        private final CompletableFuture<Void> closed = new CompletableFuture<>();
        private final StringBuilder partial = new StringBuilder();
        private final WebSocket socket;

        Client(Signaling signaling, String protocols) {
            WebSocket.Builder builder = http.newWebSocketBuilder();
            if (!protocols.isEmpty()) {
                String[] all = protocols.split(", ", -1);
                builder.subprotocols(all[0], Arrays.copyOfRange(all, 1, all.length));
            }
            URI uri =
                    URI.create(
                            "ws://127.0.0.1:"
                                    + signaling.address().getPort()
                                    + "/v1/realtime/signaling");
            socket = builder.buildAsync(uri, this).join();
        }

        void send(String message) {
            String json = message.replace('\'', '"').replace("\"v=0\"", quoted(OFFER));
            socket.sendText(json, true).exceptionally(_ -> socket).join();
        }

        private static String quoted(String text) {
            return "\"" + text.replace("\r\n", "\\r\\n") + "\"";
        }

        JsonNode ask(String message) throws InterruptedException, IOException {
            send(message);
            JsonNode answer = next();
            // What it tells of its own accord may come in between.
            while (answer.path("type").asText().equals("state") && !message.contains("attach")) {
                answer = next();
            }
            return answer;
        }

        JsonNode next() throws InterruptedException, IOException {
            String text = received.poll(30, TimeUnit.SECONDS);
            if (text == null) {
                throw new IOException("nothing came");
            }
            DESCRIPTION.conforms("message", text, "ServerMessage");
            ObjectNode message = (ObjectNode) new ObjectMapper().readTree(text);
            return message;
        }

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
            partial.append(text);
            if (last) {
                received.add(partial.toString());
                partial.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int status, String reason) {
            closed.complete(null);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            closed.complete(null);
        }

        @Override
        public void close() {
            socket.abort();
            http.shutdownNow();
        }
    }
}
