package dev.parley.e2e.drill;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.parley.e2e.ChildProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The four services as processes, with a relay that can be killed and started again at the same
 * address, and a tap between it and clients. Owned by one drill.
 */
final class RelaySystem implements AutoCloseable {
    static final String ROUTE_KEY = "00112233445566778899aabbccddeeff";
    static final int ROUTE_KEY_ID = 5;
    static final int CLUSTER = 7;

    private static final long LOOK_NANOS = 1_000_000L;
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();
    private static final Path SOCKETS = Path.of("/proc/net/udp");

    private final Path relayConfig;
    private final List<ChildProcess> others = new ArrayList<>();
    private final List<ChildProcess> relays = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper mapper = new ObjectMapper();
    private final InetSocketAddress relayAddress;
    private final int healthPort = FreePorts.next();
    private final ClientTap tap;
    private final URI base;

    private RelaySystem(Path folder, String relayOptions) throws IOException {
        int udp = FreePorts.next();
        relayAddress = new InetSocketAddress(InetAddress.getLoopbackAddress(), udp);
        relayConfig = folder.resolve("relay.yaml");
        Files.writeString(
                relayConfig,
                """
                public_addresses: ["127.0.0.1:%d"]
                upstream_address: 127.0.0.1:%d
                health_address: 127.0.0.1:%d
                workers: 1
                transceiver_cidrs: [127.0.0.0/8]
                cluster_id: %d
                route_keys: {%d: %s}
                %s
                """
                        .formatted(
                                udp,
                                FreePorts.next(),
                                healthPort,
                                CLUSTER,
                                ROUTE_KEY_ID,
                                ROUTE_KEY,
                                relayOptions));
        tap = new ClientTap(relayAddress);
        try {
            var _ = startRelay().awaitReady();
            base = startOthers(folder);
        } catch (IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /**
     * Starts everything.
     *
     * @param relayOptions further lines of the relay's config
     */
    static RelaySystem start(Path folder, String relayOptions) throws IOException {
        return new RelaySystem(folder, relayOptions);
    }

    private URI startOthers(Path folder) throws IOException {
        String stub = service(folder, "inference-stub", "grpc_address: 127.0.0.1:0");
        String transceiver =
                service(
                        folder,
                        "transceiver",
                        """
                        media_address: 127.0.0.1:0
                        control_address: 127.0.0.1:0
                        relay_cidrs: [127.0.0.0/8]
                        cluster_id: %d
                        route_key_id: %d
                        route_keys: {%d: %s}
                        backends: {"*": "%s"}
                        """
                                .formatted(CLUSTER, ROUTE_KEY_ID, ROUTE_KEY_ID, ROUTE_KEY, stub));
        String signaling =
                service(
                        folder,
                        "signaling",
                        """
                        http_address: 127.0.0.1:0
                        transceivers: ["%s"]
                        relay_addresses: ["127.0.0.1:%d"]
                        call_id_key: 0123456789abcdef0123456789abcdef
                        """
                                .formatted(transceiver, tap.port()));
        return URI.create("http://" + signaling);
    }

    private String service(Path folder, String name, String yaml) throws IOException {
        Path file = folder.resolve(name + ".yaml");
        Files.writeString(file, yaml);
        ChildProcess process = ChildProcess.parley(name, "--config", file.toString());
        others.add(process);
        String line = process.awaitReady();
        return line.substring(line.lastIndexOf(' ') + 1);
    }

    /** Starts a relay with the same config as the one before and does not wait for it. */
    ChildProcess startRelay() {
        ChildProcess relay = ChildProcess.parley("relay", "--config", relayConfig.toString());
        relays.add(relay);
        return relay;
    }

    /** The relay started last. */
    ChildProcess relay() {
        return relays.getLast();
    }

    /** Waits until the relay's port is bound, and answers when it was last seen not to be. */
    long awaitBound() throws IOException {
        // Local address, then none of a peer: the tap's sockets have the relay for theirs.
        String address = ": 0100007F:%04X 00000000:0000".formatted(relayAddress.getPort());
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        long unbound = System.nanoTime();
        long looked = unbound;
        while (!Files.readString(SOCKETS).contains(address)) {
            unbound = looked;
            if (deadline - unbound <= 0) {
                throw new IOException("the relay has not bound its port");
            }
            LockSupport.parkNanos(LOOK_NANOS);
            looked = System.nanoTime();
        }
        return unbound;
    }

    /**
     * Media of a call's client so far.
     *
     * @param sent what went through the tap
     * @param received what the transceiver has accepted
     */
    record Upward(long sent, long received) {
        /** Packets lost since an earlier count. */
        long lostSince(Upward earlier) {
            return sent - earlier.sent - (received - earlier.received);
        }
    }

    /** Counts at both ends, at a moment between two packets. */
    Upward upward(URI call) throws IOException, InterruptedException {
        while (true) {
            long sent = tap.up().count();
            long received = packetsReceived(call);
            if (tap.up().count() == sent) {
                return new Upward(sent, received);
            }
        }
    }

    /** Packets of a call's client that the transceiver has authenticated. */
    long packetsReceived(URI call) throws IOException, InterruptedException {
        return mapper.readTree(get(call).body()).findValue("packets_received").asLong();
    }

    /** Answers the status of a path of the relay's health endpoint, 0 when it does not answer. */
    int health(String path) throws InterruptedException {
        try {
            return get(URI.create("http://127.0.0.1:" + healthPort + path)).statusCode();
        } catch (IOException _) {
            return 0;
        }
    }

    String readiness() throws IOException, InterruptedException {
        return get(URI.create("http://127.0.0.1:" + healthPort + "/readyz")).body();
    }

    private HttpResponse<String> get(URI address) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(5)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    InetSocketAddress relayAddress() {
        return relayAddress;
    }

    ClientTap tap() {
        return tap;
    }

    /** Where signaling listens. */
    URI base() {
        return base;
    }

    @Override
    public void close() {
        others.reversed().forEach(ChildProcess::close);
        relays.forEach(ChildProcess::close);
        tap.close();
        http.close();
    }
}
