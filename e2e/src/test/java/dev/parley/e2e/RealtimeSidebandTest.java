package dev.parley.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.parley.e2e.client.LibwebrtcChannels;
import dev.parley.e2e.client.LibwebrtcChannels.Channel;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A backend that takes part in a Realtime call of libwebrtc, through the whole product. */
@Timeout(120)
class RealtimeSidebandTest {
    private static final long PATIENCE_SECONDS = 60;
    private static final String WRITE =
            "{'type':'conversation.item.create','item':{'id':'%s','type':'message','role':'user',"
                    + "'content':[{'type':'input_text','text':'%s'}]}}";
    private static final String RESPOND = "{'type':'response.create'}";
    private static final String RESPONSE_DONE = "response.done";

    /** A WebSocket that was joined to a call, and what it heard. */
    private static final class Backend implements WebSocket.Listener {
        final CompletableFuture<String> over = new CompletableFuture<>();
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private final StringBuilder partial = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            partial.append(data);
            if (last) {
                heard.add(partial.toString());
                partial.setLength(0);
            }
            return WebSocket.Listener.super.onText(socket, data, last);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            over.complete(status + " " + reason);
            return WebSocket.Listener.super.onClose(socket, status, reason);
        }

        /** Everything up to the event that ends it. */
        List<String> hearUntil(Predicate<JsonObject> end) throws InterruptedException {
            List<String> events = new ArrayList<>();
            while (events.isEmpty() || !end.test(json(events.getLast()))) {
                String next = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                assertThat(next).as("what comes after %s", events).isNotNull();
                events.add(next);
            }
            return events;
        }
    }

    private static JsonObject json(String event) {
        return JsonParser.parseString(event).getAsJsonObject();
    }

    private static Predicate<JsonObject> type(String type) {
        return event -> event.get("type").getAsString().equals(type);
    }

    private static WebSocket join(HttpClient http, URI base, String call, Backend backend) {
        return http.newWebSocketBuilder()
                .buildAsync(
                        URI.create("ws://" + base.getAuthority() + "/v1/realtime?call_id=" + call),
                        backend)
                .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    private static void say(WebSocket socket, String event) {
        socket.sendText(event.replace('\'', '"'), true).join();
    }

    private static List<String> hearUntil(Channel channel, Predicate<JsonObject> end)
            throws InterruptedException {
        List<String> events = new ArrayList<>();
        while (events.isEmpty() || !end.test(json(events.getLast()))) {
            events.add(new String(channel.next().bytes(), UTF_8));
        }
        return events;
    }

    @Test
    void bothSidesOfARealtimeCallHearTheSameAndMaySpeak() throws Exception {
        try (WatchedProduct system = WatchedProduct.start();
                HttpClient http = HttpClient.newHttpClient()) {
            URI base = URI.create(system.url());
            Backend backend = new Backend();
            Backend second = new Backend();
            WebSocket socket;
            String call;
            try (LibwebrtcChannels peer = new LibwebrtcChannels()) {
                Channel channel = peer.open("oai-events");
                call = peer.callWith(base, json("{'type':'realtime','model':'parrot'}"));
                channel.awaitOpen();
                var _ = hearUntil(channel, type("session.created"));
                socket = join(http, base, call, backend);
                assertThat(backend.hearUntil(type("session.created"))).hasSize(1);

                // The backend writes and asks: client and backend are told the same.
                say(socket, WRITE.formatted("one", "of the backend"));
                say(socket, RESPOND);
                List<String> told = hearUntil(channel, type(RESPONSE_DONE));
                assertThat(backend.hearUntil(type(RESPONSE_DONE))).isEqualTo(told);
                assertThat(told)
                        .anySatisfy(
                                event ->
                                        assertThat(event)
                                                .contains("response.output_text.done")
                                                .contains("of the backend"));

                // What one of them does wrong is told to that one alone.
                say(socket, "{'type':'nonsense','event_id':'mine'}");
                assertThat(backend.hearUntil(type("error")).getLast()).contains("\"mine\"");

                // The same the other way, with two backends.
                WebSocket other = join(http, base, call, second);
                assertThat(second.hearUntil(type("session.created"))).hasSize(1);
                channel.send(
                        false,
                        WRITE.formatted("two", "of the client").replace('\'', '"').getBytes(UTF_8));
                channel.send(false, RESPOND.replace('\'', '"').getBytes(UTF_8));
                List<String> answer = hearUntil(channel, type(RESPONSE_DONE));
                assertThat(answer).noneMatch(event -> event.contains("\"mine\""));
                assertThat(backend.hearUntil(type(RESPONSE_DONE))).isEqualTo(answer);
                assertThat(second.hearUntil(type(RESPONSE_DONE))).isEqualTo(answer);

                // One leaves: nobody notices.
                other.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
                say(socket, "{'type':'conversation.item.retrieve','item_id':'two'}");
                assertThat(backend.hearUntil(type("conversation.item.retrieved")).getLast())
                        .contains("of the client");
            }
            assertThat(backend.over.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .startsWith("1000 The call has ended");
            assertThatThrownBy(() -> join(http, base, call, new Backend()))
                    .hasCauseInstanceOf(WebSocketHandshakeException.class)
                    .cause()
                    .satisfies(
                            refused ->
                                    assertThat(
                                                    ((WebSocketHandshakeException) refused)
                                                            .getResponse()
                                                            .statusCode())
                                            .isEqualTo(404));
        }
    }
}
