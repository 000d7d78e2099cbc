package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.json;
import static dev.parley.signaling.SignalingFixture.location;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.parley.proto.control.v1.JoinEventsResponse;
import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.signaling.FakeTransceiver.Joined;
import dev.parley.signaling.auth.ApiKeys;
import io.grpc.Status;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A backend that takes part in its client's call over a WebSocket. */
@Timeout(60)
class SidebandTest {
    @TempDir private Path folder;

    @Test
    void hearsWhatTheClientIsToldAndSpeaksAsItsClientDoes() throws Exception {
        try (var fixture = SignalingFixture.with();
                var backend = Backend.join(fixture.signaling, call(fixture), "", "")) {
            Joined joined = joined(fixture);
            String longest = "\u00e9".repeat(100_000);
            joined.tell("{\"type\":\"session.created\"}");
            joined.tell(longest);
            assertThat(backend.next()).isEqualTo("{\"type\":\"session.created\"}");
            assertThat(backend.next()).isEqualTo(longest);
            joined.out.onNext(
                    JoinEventsResponse.newBuilder()
                            .setServerEvent(
                                    ServerEvent.newBuilder()
                                            .setBinary(ByteString.copyFromUtf8("raw")))
                            .build());
            assertThat(backend.next()).isEqualTo("binary raw");

            backend.socket.sendText("one ", false).join();
            backend.socket.sendText("message", true).join();
            backend.socket.sendBinary(ByteBuffer.wrap(new byte[] {7}), true).join();
            assertThat(heard(joined))
                    .isEqualTo(ClientEvent.newBuilder().setText("one message").build());
            assertThat(heard(joined).getBinary()).isEqualTo(ByteString.copyFrom(new byte[] {7}));
        }
    }

    @Test
    void hearsWhatTheClientSaysOnlyWhenItAsks() throws Exception {
        try (var fixture = SignalingFixture.with()) {
            String call = call(fixture);
            try (var deaf = Backend.join(fixture.signaling, call, "", "");
                    var curious =
                            Backend.join(fixture.signaling, call, "&client_events=true", "")) {
                for (Joined joined : new Joined[] {joined(fixture), joined(fixture)}) {
                    joined.out.onNext(clientSays(ClientEvent.newBuilder().setText("hi").build()));
                    joined.out.onNext(
                            clientSays(
                                    ClientEvent.newBuilder()
                                            .setBinary(ByteString.copyFromUtf8("raw"))
                                            .build()));
                    joined.tell("answer");
                }
                assertThat(deaf.next()).isEqualTo("answer");
                assertThat(curious.next())
                        .isEqualTo(
                                "{\"type\":\"parley.client_event\",\"channel\":\"c\",\"text\":\"hi\"}");
                assertThat(curious.next()).contains("\"base64\":\"cmF3\"");
                assertThat(curious.next()).isEqualTo("answer");
            }
        }
    }

    @Test
    void isPingedHoweverMuchThereIsToHearAndSoNeverIdle() throws Exception {
        try (var fixture = SignalingFixture.with("idle_timeout", "2s");
                var backend = Backend.join(fixture.signaling, call(fixture), "", "")) {
            Joined joined = joined(fixture);
            while (backend.pings.get() < 5) {
                joined.tell("event");
                assertThat(backend.next()).isEqualTo("event");
            }
        }
    }

    private static JoinEventsResponse clientSays(ClientEvent event) {
        return JoinEventsResponse.newBuilder()
                .setClientEvent(event.toBuilder().setChannel("c"))
                .build();
    }

    @Test
    void joinsThroughAnyInstance() throws Exception {
        try (var fixture = SignalingFixture.with();
                // It knows the call's transceiver by the call's id alone.
                var elsewhere = new FakeTransceiver(9);
                var other =
                        fixture.startAnother(
                                Map.of("transceivers", elsewhere.address().toString()));
                var backend = Backend.join(other, call(fixture), "", "")) {
            joined(fixture).tell("event");
            assertThat(backend.next()).isEqualTo("event");
        }
    }

    @Test
    void isToldThatTheCallHasEndedAndWhy() throws Exception {
        try (var fixture = SignalingFixture.with();
                var backend = Backend.join(fixture.signaling, call(fixture), "", "")) {
            Joined joined = joined(fixture);
            joined.tell("last words");
            joined.out.onNext(
                    JoinEventsResponse.newBuilder()
                            .setEnded(
                                    JoinEventsResponse.Ended.newBuilder()
                                            .setReason(EndReason.END_REASON_CLIENT_HANGUP))
                            .build());
            joined.out.onCompleted();
            assertThat(backend.next()).isEqualTo("last words");
            assertThat(backend.next()).isEqualTo("closed 1000 The call has ended: client_hangup");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RESOURCE_EXHAUSTED, closed 1008 Too many events were left unread.",
        "UNAVAILABLE, closed 1011 The call's server is gone.",
    })
    void isToldWhyItIsPartedWith(Status.Code code, String closed) throws Exception {
        try (var fixture = SignalingFixture.with();
                var backend = Backend.join(fixture.signaling, call(fixture), "", "")) {
            joined(fixture).out.onError(code.toStatus().asRuntimeException());
            assertThat(backend.next()).isEqualTo(closed);
        }
    }

    @Test
    void leavesTheCallWhenTheBackendGoes() throws Exception {
        try (var fixture = SignalingFixture.with()) {
            String call = call(fixture);
            try (var backend = Backend.join(fixture.signaling, call, "", "")) {
                backend.socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
                joined(fixture).left.get(30, TimeUnit.SECONDS);
            }
            try (var backend = Backend.join(fixture.signaling, call, "", "")) {
                Joined joined = joined(fixture);
                backend.socket.abort();
                joined.left.get(30, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void leavesTheCallWhenTheBackendGoesWhileItIsLetIn() throws Exception {
        try (var fixture = SignalingFixture.with();
                var backend = new RawHttp(fixture.signaling)) {
            fixture.transceiver().holdsJoins = true;
            backend.send(
                    "GET /v1/realtime?call_id="
                            + call(fixture)
                            + " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
                            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
            Runnable letIn = fixture.transceiver().heldJoins.take();
            backend.reset();
            letIn.run();

            joined(fixture).left.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void isEndedForAMessageThatNoChannelCouldCarry() throws Exception {
        try (var fixture = SignalingFixture.with();
                var backend = Backend.join(fixture.signaling, call(fixture), "", "")) {
            Joined joined = joined(fixture);
            for (int i = 0; i < 5; i++) {
                backend.socket.sendText("x".repeat(60_000), false).join();
            }
            assertThat(backend.next()).isEqualTo("closed 1009 The message is too large.");
            joined.left.get(30, TimeUnit.SECONDS);
            assertThat(joined.heard).isEmpty();
        }
    }

    @Test
    void isRefusedWhereACallHasAllTheSidebandsItCanHave() throws Exception {
        try (var fixture = SignalingFixture.with()) {
            String path = "/v1/realtime?call_id=" + call(fixture);
            fixture.transceiver().refuse(Status.RESOURCE_EXHAUSTED, "", "sideband_limit");
            var answer = fixture.send(fixture.request(path));
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(json(answer).at("/error/code").textValue()).isEqualTo("sideband_limit");
            assertThatThrownBy(() -> Backend.join(fixture.signaling, "rtc_x", "", ""))
                    .hasMessageContaining("404");
        }
    }

    @Test
    void onlyTheCallsOwnerMayJoinAndNotWithAClientSecret() throws Exception {
        ApiKeys.Generated shop = ApiKeys.generate("shop", new SecureRandom());
        ApiKeys.Generated other = ApiKeys.generate("other", new SecureRandom());
        Path keys = folder.resolve("keys.json");
        Files.writeString(keys, "{\"keys\":[" + shop.fileEntry() + "," + other.fileEntry() + "]}");
        try (var fixture = SignalingFixture.with("api_keys_file", keys.toString())) {
            var started =
                    fixture.send(
                            fixture.request("/v1/realtime/calls")
                                    .header("Authorization", "Bearer " + shop.key())
                                    .header("Content-Type", "application/sdp")
                                    .POST(
                                            java.net.http.HttpRequest.BodyPublishers.ofString(
                                                    SignalingFixture.OFFER)));
            String call = last(location(started));
            var minted =
                    fixture.send(
                            fixture.request("/v1/realtime/client_secrets")
                                    .header("Authorization", "Bearer " + shop.key())
                                    .header("Content-Type", "application/json")
                                    .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{}")));
            String secret = json(minted).path("value").textValue();

            assertThatThrownBy(() -> Backend.join(fixture.signaling, call, "", ""))
                    .hasMessageContaining("401");
            assertThatThrownBy(() -> Backend.join(fixture.signaling, call, "", other.key()))
                    .hasMessageContaining("404");
            assertThatThrownBy(() -> Backend.join(fixture.signaling, call, "", secret))
                    .hasMessageContaining("403");
            try (var backend = Backend.join(fixture.signaling, call, "", shop.key())) {
                joined(fixture).tell("event");
                assertThat(backend.next()).isEqualTo("event");
            }
        }
    }

    private static String call(SignalingFixture fixture) {
        return last(location(fixture.postOffer()));
    }

    private static String last(String location) {
        return location.substring(location.lastIndexOf('/') + 1);
    }

    private static Joined joined(SignalingFixture fixture) throws InterruptedException {
        Joined joined = fixture.transceiver().joined.poll(30, TimeUnit.SECONDS);
        if (joined == null) {
            throw new AssertionError("nobody has joined");
        }
        return joined;
    }

    private static ClientEvent heard(Joined joined) throws InterruptedException {
        var request = joined.heard.poll(30, TimeUnit.SECONDS);
        if (request == null) {
            throw new AssertionError("nothing was said");
        }
        return request.getEvent();
    }

    /** A backend's WebSocket, and what came over it. */
    private static final class Backend implements WebSocket.Listener, AutoCloseable {
        private final HttpClient http = HttpClient.newHttpClient();
        private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        private final StringBuilder partial = new StringBuilder();
        final AtomicInteger pings = new AtomicInteger();
        final WebSocket socket;

        private Backend(Signaling signaling, String call, String more, String credential) {
            WebSocket.Builder builder = http.newWebSocketBuilder();
            if (!credential.isEmpty()) {
                builder.header("Authorization", "Bearer " + credential);
            }
            URI uri =
                    URI.create(
                            "ws://127.0.0.1:"
                                    + signaling.address().getPort()
                                    + "/v1/realtime?call_id="
                                    + call
                                    + more);
            socket = builder.buildAsync(uri, this).join();
        }

        /**
         * @throws AssertionError with the status, when it is refused
         */
        static Backend join(Signaling signaling, String call, String more, String credential) {
            try {
                return new Backend(signaling, call, more, credential);
            } catch (CompletionException e) {
                if (e.getCause() instanceof WebSocketHandshakeException refused) {
                    throw new AssertionError(
                            String.valueOf(refused.getResponse().statusCode()), refused);
                }
                throw e;
            }
        }

        String next() throws InterruptedException {
            String next = messages.poll(30, TimeUnit.SECONDS);
            return next == null ? "nothing" : next;
        }

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
            partial.append(text);
            if (last) {
                messages.add(partial.toString());
                partial.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket from, ByteBuffer bytes, boolean last) {
            messages.add("binary " + StandardCharsets.UTF_8.decode(bytes));
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<?> onPing(WebSocket from, ByteBuffer payload) {
            pings.incrementAndGet();
            return WebSocket.Listener.super.onPing(from, payload);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            messages.add("closed " + code + " " + reason);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void close() {
            socket.abort();
            http.shutdownNow();
        }
    }
}
