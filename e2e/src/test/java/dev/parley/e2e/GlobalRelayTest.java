package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.client.Wav;
import dev.parley.inferencestub.InferenceStub;
import dev.parley.inferencestub.InferenceStubConfig;
import dev.parley.otel.Telemetry;
import dev.parley.proto.control.v1.DescribeLoadRequest;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.relay.Relay;
import dev.parley.relay.RelayConfig;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.config.HostPort;
import dev.parley.signaling.Signaling;
import dev.parley.signaling.SignalingConfig;
import dev.parley.transceiver.Transceiver;
import dev.parley.transceiver.TransceiverConfig;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two whole clusters: a call enters by the relay of the one and ends at the transceiver of the
 * other.
 */
class GlobalRelayTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String ROUTE_KEY = "00112233445566778899aabbccddeeff";
    private static final String LEG_KEY = "ffeeddccbbaa99887766554433221100";

    @TempDir private Path folder;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private Cluster east;
    private Cluster west;

    /** What one cluster has. */
    private record Cluster(
            int id, String region, Relay relay, Transceiver transceiver, Signaling signaling) {
        String mapEntry() {
            return """
              - id: %d
                name: %s
                region: %s
                latitude: %d
                longitude: 0
                signaling: http://%s
                relays:
                  - {public: "%s", legs: "%s"}
            """
                    .formatted(
                            id,
                            region,
                            region,
                            id * 20,
                            HostPort.of(signaling.clusterAddress().orElseThrow()),
                            HostPort.of(relay.publicAddresses().getFirst()),
                            HostPort.of(relay.legAddresses().getFirst()));
        }

        URI base() {
            return URI.create("http://" + HostPort.of(signaling.address()));
        }
    }

    @BeforeEach
    void start() throws IOException {
        write(
                """
                clusters:
                  - {id: 1, name: east, region: east, latitude: 0, longitude: 0}
                  - {id: 2, name: west, region: west, latitude: 0, longitude: 0}
                """);
        InferenceStub stub =
                push(
                        InferenceStub.start(
                                ConfigLoader.of(
                                        InferenceStubConfig.class,
                                        Map.of("grpc_address", "127.0.0.1:0")),
                                Telemetry.none()));
        east = cluster(1, "east", stub.address());
        west = cluster(2, "west", stub.address());
        // Now that everything has its ports, the map names them.
        write("clusters:\n" + east.mapEntry() + west.mapEntry());
    }

    private <T extends AutoCloseable> T push(T service) {
        started.push(service);
        return service;
    }

    private void write(String map) throws IOException {
        Path fresh = Files.writeString(folder.resolve("fresh"), map);
        Files.move(fresh, folder.resolve("map.yaml"), StandardCopyOption.ATOMIC_MOVE);
    }

    private Cluster cluster(int id, String region, InetSocketAddress stub) {
        String map = folder.resolve("map.yaml").toString();
        String number = String.valueOf(id);
        Relay relay =
                push(
                        Relay.start(
                                ConfigLoader.of(
                                        RelayConfig.class,
                                        Map.ofEntries(
                                                Map.entry("public_addresses", "127.0.0.1:0"),
                                                Map.entry("upstream_address", "127.0.0.1:0"),
                                                Map.entry("health_address", "127.0.0.1:0"),
                                                Map.entry("leg_address", "127.0.0.1:0"),
                                                Map.entry("workers", "1"),
                                                Map.entry("warm_up", "0s"),
                                                Map.entry("transceiver_cidrs", "127.0.0.0/8"),
                                                Map.entry("cluster_id", number),
                                                Map.entry("cluster_map", map),
                                                Map.entry("leg_keys", "3=" + LEG_KEY),
                                                Map.entry("leg_key_id", "3"),
                                                Map.entry("route_keys", "5=" + ROUTE_KEY))),
                                Telemetry.none()));
        Transceiver transceiver =
                push(
                        Transceiver.start(
                                ConfigLoader.of(
                                        TransceiverConfig.class,
                                        Map.of(
                                                "media_address", "127.0.0.1:0",
                                                "control_address", "127.0.0.1:0",
                                                "relay_cidrs", "127.0.0.0/8",
                                                "cluster_id", number,
                                                "route_key_id", "5",
                                                "route_keys", "5=" + ROUTE_KEY,
                                                "backends", "*=" + HostPort.of(stub))),
                                Telemetry.none()));
        Signaling signaling =
                push(
                        Signaling.start(
                                ConfigLoader.of(
                                        SignalingConfig.class,
                                        Map.of(
                                                "http_address",
                                                "127.0.0.1:0",
                                                "cluster_address",
                                                "127.0.0.1:0",
                                                "cluster_id",
                                                number,
                                                "cluster_map",
                                                map,
                                                "transceivers",
                                                HostPort.of(transceiver.controlAddress())
                                                        .toString(),
                                                "relay_addresses",
                                                HostPort.of(relay.publicAddresses().getFirst())
                                                        .toString(),
                                                "call_id_key",
                                                LEG_KEY,
                                                "load_interval",
                                                "100ms")),
                                Telemetry.none()));
        return new Cluster(id, region, relay, transceiver, signaling);
    }

    @AfterEach
    void stop() throws Exception {
        http.close();
        for (AutoCloseable service : started) {
            service.close();
        }
    }

    @Test
    void aCallEntersHereAndEndsThere() throws Exception {
        Wav words = SpeechSample.caller();
        try (LibwebrtcCaller caller = callInWest()) {
            caller.awaitConnected(PATIENCE);
            caller.say(words).join();
            caller.listen(Duration.ofSeconds(1));
            assertThat(Correlation.of(words, caller.heard()).score())
                    .isGreaterThan(Correlation.SAME_SPEECH);
            assertThat(caller.stats().remoteAddress())
                    .isEqualTo(HostPort.of(east.relay().publicAddresses().getFirst()).toString());
            URI there = west.base().resolve(caller.location().getPath());
            assertThat(status(HttpRequest.newBuilder(there))).isEqualTo(200);
            String answer = caller.restartIce(caller.location());
            assertThat(answer).contains("a=ice-ufrag:");
            assertThat(caller.hangUp()).isEqualTo(200);
            assertThat(caller.hangUp()).as("the call is gone").isEqualTo(404);
        }
    }

    // Until the other cluster's gateway has answered once, calls stay where they are asked for.
    private LibwebrtcCaller callInWest() {
        long deadline = System.nanoTime() + 2 * PATIENCE.toNanos();
        while (deadline - System.nanoTime() > 0) {
            LibwebrtcCaller caller = LibwebrtcCaller.call(east.base(), "echo&region=west");
            if (sessions(west) > 0) {
                return caller;
            }
            var _ = caller.hangUp();
            caller.close();
        }
        throw new AssertionError("no call of east's came to west");
    }

    private static int sessions(Cluster cluster) {
        InetSocketAddress control = cluster.transceiver().controlAddress();
        ManagedChannel channel =
                NettyChannelBuilder.forAddress(control)
                        .usePlaintext()
                        .proxyDetector(_ -> null)
                        .build();
        try {
            return TransceiverGrpc.newBlockingStub(channel)
                    .describeLoad(DescribeLoadRequest.getDefaultInstance())
                    .getSessions();
        } finally {
            channel.shutdownNow();
        }
    }

    private int status(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
    }
}
