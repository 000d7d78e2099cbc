package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.location;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.runtime.config.ConfigException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two clusters, each with signaling and a transceiver of its own. */
class ClustersTest {
    private static final String MAP =
            """
            clusters:
              - {id: 1, name: east, region: eu, latitude: 52, longitude: 5, state: EAST,
                 signaling: "http://127.0.0.1:EPORT", relays: [
                  {public: 203.0.113.10:3478, legs: 10.1.0.4:3490}]}
              - {id: 2, name: west, region: us, latitude: 39, longitude: -77, state: WEST,
                 signaling: "http://127.0.0.1:WPORT", relays: [
                  {public: 203.0.113.20:3478, legs: 10.2.0.4:3490}]}
            """;

    @TempDir private Path folder;
    private Path file;
    private SignalingFixture east;
    private SignalingFixture west;
    private int eastPort = 1;
    private int westPort = 1;

    @BeforeEach
    void start() {
        file = folder.resolve("map.yaml");
        write("active", "active");
        east = cluster(1);
        west = cluster(2);
        // Now that they are known the map names their ports.
        eastPort = east.signaling.clusterAddress().orElseThrow().getPort();
        westPort = west.signaling.clusterAddress().orElseThrow().getPort();
        write("active", "active");
        until(() -> east.signaling.takesCalls(2) && west.signaling.takesCalls(1));
    }

    private void write(String eastState, String westState) {
        try {
            Path fresh = folder.resolve("fresh");
            Files.writeString(
                    fresh,
                    MAP.replace("EAST", eastState)
                            .replace("WEST", westState)
                            .replace("EPORT", String.valueOf(eastPort))
                            .replace("WPORT", String.valueOf(westPort)));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SignalingFixture cluster(int id) {
        return SignalingFixture.with(
                "cluster_id",
                String.valueOf(id),
                "cluster_map",
                file.toString(),
                "cluster_address",
                "127.0.0.1:0",
                "load_interval",
                "100ms",
                "trusted_proxies",
                "127.0.0.0/8");
    }

    /** Something that becomes true as threads go on. */
    private interface Condition {
        boolean holds();
    }

    private static void until(Condition condition) {
        while (!condition.holds()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @AfterEach
    void stop() {
        east.close();
        west.close();
    }

    private static HttpResponse<String> call(SignalingFixture at, String query, String country) {
        return at.send(
                at.request("/v1/realtime/calls" + query)
                        .header("Content-Type", "application/sdp")
                        .header("CF-IPCountry", country)
                        .POST(HttpRequest.BodyPublishers.ofString(SignalingFixture.OFFER)));
    }

    @Test
    void aCallGoesToTheClusterNearItsCallerWhicheverIsAsked() {
        assertThat(call(east, "", "NL").statusCode()).isEqualTo(201);
        assertThat(east.transceiver().created).hasSize(1);
        assertThat(call(east, "", "US").statusCode()).isEqualTo(201);
        assertThat(west.transceiver().created).hasSize(1);
        CreateSessionRequest request = west.transceiver().created.element();
        assertThat(request.getRelayAddressesList()).containsExactly("203.0.113.20:3478");
        assertThat(request.getSessionId().size()).isEqualTo(16);
        assertThat(call(east, "?region=us&ingress_candidates=2", "NL").statusCode()).isEqualTo(201);
        assertThat(west.transceiver().created).hasSize(2);
        assertThat(west.transceiver().created.stream().toList().getLast().getRelayAddressesList())
                .containsExactly("203.0.113.10:3478", "203.0.113.20:3478");
    }

    @Test
    void aCallElsewhereIsChangedDescribedAndEndedFromHereAndFromThere() {
        String path = location(call(east, "", "US"));
        assertThat(east.send(east.request(path).GET()).body()).contains("\"connected\"");
        assertThat(west.send(west.request(path).GET()).body()).contains("\"connected\"");
        HttpResponse<String> changed = east.send(restart(east.request(path)));
        assertThat(changed.statusCode()).isEqualTo(200);
        assertThat(changed.body()).contains("a=ice-ufrag:new");
        assertThat(west.transceiver().updates).hasSize(1);
        assertThat(west.transceiver().updates.element().getRelayAddressesList())
                .as("a way out when the relay is why")
                .containsExactlyInAnyOrder("203.0.113.10:3478", "203.0.113.20:3478");
        HttpResponse<String> ended =
                east.send(east.request(path + "/hangup").POST(HttpRequest.BodyPublishers.noBody()));
        assertThat(ended.statusCode()).isEqualTo(200);
        assertThat(west.transceiver().sessions).isEmpty();
        assertThat(east.send(east.request(path).DELETE()).statusCode()).isEqualTo(404);
    }

    private static HttpRequest.Builder restart(HttpRequest.Builder request) {
        return request.header("Content-Type", "application/trickle-ice-sdpfrag")
                .header("If-Match", "*")
                .method("PATCH", HttpRequest.BodyPublishers.ofString("a=ice-ufrag:x\r\n"));
    }

    @Test
    void aSidebandJoinsACallElsewhere() throws Exception {
        String path = location(call(east, "", "US"));
        String id = path.substring(path.lastIndexOf('/') + 1);
        CountDownLatch heard = new CountDownLatch(1);
        WebSocket socket =
                east.http
                        .newWebSocketBuilder()
                        .buildAsync(
                                URI.create(
                                        "ws://127.0.0.1:"
                                                + east.signaling.address().getPort()
                                                + "/v1/realtime?call_id="
                                                + id),
                                new WebSocket.Listener() {
                                    @Override
                                    public CompletionStage<?> onText(
                                            WebSocket from, CharSequence text, boolean last) {
                                        if ("hello".contentEquals(text)) {
                                            heard.countDown();
                                        }
                                        return WebSocket.Listener.super.onText(from, text, last);
                                    }
                                })
                        .get();
        FakeTransceiver.Joined joined = west.transceiver().joined.take();
        joined.tell("hello");
        assertThat(heard.await(60, TimeUnit.SECONDS)).isTrue();
        socket.sendText("from the sideband", true).get();
        assertThat(joined.heard.take().getEvent().getText()).isEqualTo("from the sideband");
        socket.abort();
        joined.left.get(60, TimeUnit.SECONDS);
        assertThat(west.transceiver().sessions).hasSize(1);
    }

    @Test
    void aClusterThatDrainsGetsNoNewCallsAndKeepsItsOld() {
        String path = location(call(east, "", "US"));
        write("active", "draining");
        until(() -> !east.signaling.takesCalls(2));
        assertThat(call(east, "", "US").statusCode()).isEqualTo(201);
        assertThat(call(west, "", "US").statusCode()).isEqualTo(201);
        assertThat(west.transceiver().created).hasSize(1);
        assertThat(east.transceiver().created).hasSize(2);

        // Nor does it take any when there is nobody else, though its calls may still change.
        east.signaling.close();
        until(() -> !west.signaling.takesCalls(1));
        HttpResponse<String> refused = call(west, "", "US");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("\"draining\"");
        assertThat(west.transceiver().created).hasSize(1);
        assertThat(west.send(restart(west.request(path))).statusCode()).isEqualTo(200);
        assertThat(west.send(west.request(path).DELETE()).statusCode()).isEqualTo(200);
    }

    @Test
    void aClusterThatCannotBeAskedIsPassedOver() {
        west.signaling.close();
        until(() -> !east.signaling.takesCalls(2));
        assertThat(call(east, "", "US").statusCode()).isEqualTo(201);
        assertThat(east.transceiver().created).hasSize(1);
    }

    @Test
    void aClusterWithoutRoomIsPassedOver() {
        west.transceiver().otherSessions = 100;
        until(() -> !east.signaling.takesCalls(2));
        assertThat(call(east, "", "US").statusCode()).isEqualTo(201);
        assertThat(east.transceiver().created).hasSize(1);
    }

    @Test
    void refusesRegionsThatThereAreNotAndWishesThatCannotBe() {
        HttpResponse<String> region = call(east, "?region=mars", "NL");
        assertThat(region.statusCode()).isEqualTo(400);
        assertThat(region.body()).contains("There is no such region; there are eu, us.");
        HttpResponse<String> many = call(east, "?ingress_candidates=9", "NL");
        assertThat(many.statusCode()).isEqualTo(400);
        assertThat(many.body()).contains("1 to 4 relays");
        HttpResponse<String> json =
                east.post(
                        "/v1/realtime/calls",
                        "application/json",
                        "{\"sdp\":\"v=0\",\"region\":\"us\"}");
        assertThat(json.statusCode()).isEqualTo(201);
        assertThat(west.transceiver().created).hasSize(1);
    }

    @Test
    void aGatewayAnswersNobodyElse() {
        try (var stranger = SignalingFixture.with("call_id_key", "f".repeat(32))) {
            String other =
                    MAP.replace("EAST", "active")
                            .replace("WEST", "active")
                            .replace("EPORT", "1")
                            .replace("WPORT", String.valueOf(westPort));
            Path own = Files.writeString(folder.resolve("other.yaml"), other);
            try (Signaling foreign =
                    stranger.startAnother(
                            Map.of(
                                    "cluster_id",
                                    "1",
                                    "cluster_map",
                                    own.toString(),
                                    "call_id_key",
                                    "f".repeat(32),
                                    "load_interval",
                                    "100ms"))) {
                until(() -> west.signaling.gatewayRefusals() > 0);
                assertThat(foreign.takesCalls(2)).isFalse();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void clustersSpeakTlsUnlessTheyAreToldThatTheyNeedNot() throws IOException {
        String plain = Files.readString(file).replace("127.0.0.1:" + westPort, "192.0.2.1:8443");
        Path map = Files.writeString(folder.resolve("plain.yaml"), plain);
        Map<String, String> config = Map.of("cluster_id", "1", "cluster_map", map.toString());
        assertThatThrownBy(() -> east.startAnother(config))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "cluster_map: signaling of west is spoken to without TLS; write it as"
                                + " https, or set cluster_plaintext if the network between clusters"
                                + " is your own and encrypted");
        Map<String, String> open = new HashMap<>(config);
        open.put("cluster_address", "0.0.0.0:0");
        assertThatThrownBy(() -> east.startAnother(open))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("cluster_address: 0.0.0.0:0 can be reached from elsewhere");
        open.put("cluster_plaintext", "true");
        try (Signaling told = east.startAnother(open)) {
            assertThat(told.clusterAddress()).isPresent();
        }
    }

    @Test
    void namesWhatIsWrongWithTheConfig() {
        assertThatThrownBy(() -> east.startAnother(Map.of("latency_table", "x")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("cluster_map: is missing, give it together with latency_table");
        assertThatThrownBy(
                        () ->
                                east.startAnother(
                                        Map.of("cluster_map", file.toString(), "cluster_id", "9")))
                .hasMessage("cluster_map: has no cluster 9, which is this process's cluster_id");
        assertThatThrownBy(() -> east.startAnother(Map.of("location_headers", "planet=X")))
                .hasMessage(
                        "location_headers: \"planet\" is unknown; give some of city, country,"
                                + " latitude, longitude, pop");
    }
}
