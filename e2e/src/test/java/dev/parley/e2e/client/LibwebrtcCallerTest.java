package dev.parley.e2e.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.parley.e2e.client.Correlation.Match;
import dev.parley.e2e.client.LibwebrtcCaller.Setup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The client by itself: it calls another libwebrtc that sends back what it hears. */
class LibwebrtcCallerTest {
    private final Queue<LibwebrtcPeer> callees = new ConcurrentLinkedQueue<>();
    private final Queue<CompletableFuture<Void>> echoes = new ConcurrentLinkedQueue<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private HttpServer server;
    private URI base;

    @BeforeEach
    void listen() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
        server.createContext("/", this::handle);
        server.start();
        base = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        server.stop(0);
        callees.forEach(LibwebrtcPeer::close);
        assertThat(echoes).noneMatch(CompletableFuture::isCompletedExceptionally);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
        if (exchange.getRequestMethod().equals("DELETE")) {
            exchange.sendResponseHeaders(200, -1);
        } else if (exchange.getRequestURI().getQuery().contains("echo")) {
            byte[] answer = answer(body).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Location", "/v1/realtime/calls/rtc_1");
            exchange.sendResponseHeaders(201, answer.length);
            exchange.getResponseBody().write(answer);
        } else {
            exchange.sendResponseHeaders(404, 0);
            exchange.getResponseBody().write("no such model".getBytes(StandardCharsets.UTF_8));
        }
        exchange.close();
    }

    private String answer(String offer) {
        LibwebrtcPeer callee = new LibwebrtcPeer();
        callees.add(callee);
        Descriptions.answer(callee.connection(), offer);
        callee.events().gatheredNanos.orTimeout(10, TimeUnit.SECONDS).join();
        echoes.add(
                callee.events()
                        .connectedNanos
                        .thenRunAsync(
                                () -> {
                                    callee.silenceDevice(Duration.ofSeconds(10));
                                    callee.echo();
                                }));
        return callee.connection().getLocalDescription().sdp;
    }

    @Test
    void hearsItsOwnWordsFromAnEcho() {
        Wav words = SpeechSample.caller();
        try (LibwebrtcCaller caller = LibwebrtcCaller.call(base, "echo")) {
            Setup setup = caller.awaitConnected(Duration.ofSeconds(10));
            assertThat(setup.connected()).isGreaterThanOrEqualTo(setup.answered());
            caller.say(words).join();
            caller.listen(Duration.ofSeconds(1));
            Match match = Correlation.of(words, caller.heard());
            assertThat(match.score()).isGreaterThan(Correlation.SAME_SPEECH);
            CallStats stats = caller.stats();
            assertThat(stats.packetsSent()).isGreaterThan(400);
            assertThat(stats.packetsReceived()).isGreaterThan(400);
            assertThat(stats.packetsLost()).isZero();
            assertThat(stats.remoteAddress()).contains(":");
            assertThat(stats.srtpCipher()).isNotEmpty();
            assertThat(stats.dtlsCipher()).startsWith("TLS_ECDHE_ECDSA");
            assertThat(setup.answered()).isGreaterThan(setup.offered());
            assertThat(caller.firstAudibleMillis()).isGreaterThan(setup.connected());
            assertThat(caller.hangUp()).isEqualTo(200);
        }
        assertThat(requests)
                .containsExactly(
                        "POST /v1/realtime/calls?model=echo", "DELETE /v1/realtime/calls/rtc_1");
    }

    @Test
    void saysWhyACallWasRefused() {
        assertThatThrownBy(() -> LibwebrtcCaller.call(base, "nobody"))
                .hasMessage("refused with 404: no such model");
    }
}
