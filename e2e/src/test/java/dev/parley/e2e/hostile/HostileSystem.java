package dev.parley.e2e.hostile;

import dev.parley.bench.ProcessMemory;
import dev.parley.e2e.ChildProcess;
import dev.parley.e2e.drill.FreePorts;
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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The four services as processes, with what they count and hold. Owned by one drill. */
final class HostileSystem implements AutoCloseable {
    private static final String ROUTE_KEY = "00112233445566778899aabbccddeeff";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Who may be attacked; whoever is called by others comes first. */
    enum Service {
        STUB,
        TRANSCEIVER,
        RELAY,
        SIGNALING;

        String command() {
            return this == STUB ? "inference-stub" : name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    private record Running(ChildProcess process, int admin, String address) {}

    private final Path folder;
    private final Map<Service, String> extra;
    private final Map<Service, Running> services = new LinkedHashMap<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private final int upstreamPort = FreePorts.next();
    private final int mediaPort = FreePorts.next();

    private HostileSystem(Path folder, Map<Service, String> extra) {
        this.folder = folder;
        this.extra = extra;
    }

    /**
     * Starts them. Clients, relay and transceivers are on addresses of their own, of which the
     * relay trusts only 127.0.0.1 to be a transceiver, and transceivers only it to be a relay.
     *
     * @param backend address of an inference service other than the stub, or empty
     * @param extra more lines of services' configs
     */
    static HostileSystem start(Path folder, String backend, Map<Service, String> extra)
            throws IOException {
        return start(folder, backend, "127.0.0.1", extra);
    }

    /**
     * The same with the relay on another address.
     *
     * @param publicAddress where clients reach it
     */
    static HostileSystem start(
            Path folder, String backend, String publicAddress, Map<Service, String> extra)
            throws IOException {
        HostileSystem system = new HostileSystem(folder, extra);
        try {
            system.start(backend, publicAddress);
            return system;
        } catch (IOException | RuntimeException | Error e) {
            system.close();
            throw e;
        }
    }

    private void start(String backend, String publicAddress) throws IOException {
        String stub = start(Service.STUB, "grpc_address: 127.0.0.1:0\n");
        String transceiver =
                start(
                        Service.TRANSCEIVER,
                        """
                        media_address: 127.0.0.1:%d
                        control_address: 127.0.0.1:0
                        relay_cidrs: [127.0.0.1/32]
                        route_key_id: 5
                        route_keys: {5: %s}
                        backends: {"rogue": "%s", "*": "%s"}
                        """
                                .formatted(
                                        mediaPort,
                                        ROUTE_KEY,
                                        backend.isEmpty() ? stub : backend,
                                        stub));
        String relay =
                start(
                        Service.RELAY,
                        """
                        public_addresses: ["%s:0"]
                        upstream_address: 127.0.0.1:%d
                        health_address: 127.0.0.1:0
                        transceiver_cidrs: [127.0.0.1/32]
                        route_keys: {5: %s}
                        """
                                .formatted(publicAddress, upstreamPort, ROUTE_KEY));
        var _ =
                start(
                        Service.SIGNALING,
                        """
                        http_address: 127.0.0.1:0
                        transceivers: ["%s"]
                        relay_addresses: ["%s"]
                        call_id_key: 0123456789abcdef0123456789abcdef
                        """
                                .formatted(transceiver, relay));
    }

    private String start(Service service, String yaml) throws IOException {
        int admin = FreePorts.next();
        Path file = folder.resolve(service.command() + ".yaml");
        Files.writeString(
                file,
                yaml
                        + extra.getOrDefault(service, "")
                        + "admin_address: 127.0.0.1:"
                        + admin
                        + "\n");
        ChildProcess process = ChildProcess.parley(service.command(), "--config", file.toString());
        services.put(service, new Running(process, admin, ""));
        String line = process.awaitReady();
        String address = line.substring(line.lastIndexOf(' ') + 1);
        services.put(service, new Running(process, admin, address));
        return address;
    }

    private Running running(Service service) {
        Running running = services.get(service);
        if (running == null) {
            throw new IllegalStateException(service + " has not been started");
        }
        return running;
    }

    /** Where signaling listens. */
    URI base() {
        return URI.create("http://" + running(Service.SIGNALING).address());
    }

    /** Where clients send media. */
    InetSocketAddress relay() {
        return address(running(Service.RELAY).address());
    }

    /** Where transceivers send media. */
    InetSocketAddress relayUpstream() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), upstreamPort);
    }

    static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        return new InetSocketAddress(
                InetAddress.ofLiteral(text.substring(0, colon)),
                Integer.parseInt(text.substring(colon + 1)));
    }

    /** What a service counts, by the name and labels that Prometheus knows it by. */
    Map<String, Double> counts(Service service) throws IOException, InterruptedException {
        URI metrics = URI.create("http://127.0.0.1:" + running(service).admin() + "/metrics");
        String page =
                http.send(
                                HttpRequest.newBuilder(metrics).timeout(PATIENCE).build(),
                                HttpResponse.BodyHandlers.ofString())
                        .body();
        Map<String, Double> counts = new TreeMap<>();
        page.lines()
                .filter(line -> !line.startsWith("#") && line.contains("_total"))
                .forEach(
                        line -> {
                            int space = line.lastIndexOf(' ');
                            counts.put(
                                    line.substring(0, space),
                                    Double.parseDouble(line.substring(space + 1)));
                        });
        return counts;
    }

    /** The process of a service. */
    long pid(Service service) {
        return running(service).process().pid();
    }

    /** The ports on which media come in. */
    Set<Integer> mediaPorts() {
        return Set.of(relay().getPort(), upstreamPort, mediaPort);
    }

    /** Live objects in MiB. */
    double heapMib(Service service) throws IOException {
        return ProcessMemory.liveHeapMib(running(service).process().pid());
    }

    @Override
    public void close() {
        services.values().stream().toList().reversed().forEach(each -> each.process().close());
        http.close();
    }
}
