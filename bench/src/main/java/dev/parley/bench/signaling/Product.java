package dev.parley.bench.signaling;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The product that a benchmark calls: in one process or in four. Owned by the benchmark. */
final class Product implements AutoCloseable {
    private static final String ROUTE_KEY = "00112233445566778899aabbccddeeff";

    private final List<ServiceProcess> processes = new ArrayList<>();
    private final URI base;

    private Product() throws IOException {
        base =
                URI.create(
                        started(ServiceProcess.start("up", "--http=0", "--udp=0", "--admin=0"))
                                .ready());
    }

    private Product(Path folder, String signalingYaml) throws IOException {
        String stub = service(folder, "inference-stub", "grpc_address: 127.0.0.1:0\n");
        String transceiver =
                service(
                        folder,
                        "transceiver",
                        """
                        media_address: 127.0.0.1:0
                        control_address: 127.0.0.1:0
                        relay_cidrs: [127.0.0.0/8]
                        route_key_id: 5
                        route_keys: {5: %s}
                        backends: {"*": "%s"}
                        """
                                .formatted(ROUTE_KEY, stub));
        String relay =
                service(
                        folder,
                        "relay",
                        """
                        public_addresses: ["127.0.0.1:0"]
                        upstream_address: 127.0.0.1:0
                        health_address: 127.0.0.1:0
                        transceiver_cidrs: [127.0.0.0/8]
                        route_keys: {5: %s}
                        """
                                .formatted(ROUTE_KEY));
        String signaling =
                service(
                        folder,
                        "signaling",
                        """
                        http_address: 127.0.0.1:0
                        transceivers: ["%s"]
                        relay_addresses: ["%s"]
                        call_id_key: 0123456789abcdef0123456789abcdef
                        """
                                        .formatted(transceiver, relay)
                                + signalingYaml);
        base = URI.create("http://" + signaling);
    }

    /** As {@code ./parley up} starts it. */
    static Product inOneProcess() throws IOException {
        return new Product();
    }

    /**
     * As its parts are deployed.
     *
     * @param signalingYaml more of signaling's config, a line for each option
     */
    static Product inFourProcesses(String signalingYaml) throws IOException {
        return new Product(Files.createTempDirectory("parley-bench"), signalingYaml);
    }

    private String service(Path folder, String name, String yaml) throws IOException {
        Path file = folder.resolve(name + ".yaml");
        Files.writeString(file, yaml + "admin_address: 127.0.0.1:0\n");
        // In reverse order.
        folder.toFile().deleteOnExit();
        file.toFile().deleteOnExit();
        String ready = started(ServiceProcess.start(name, "--config", file.toString())).ready();
        return ready.substring(ready.lastIndexOf(' ') + 1);
    }

    private ServiceProcess started(ServiceProcess process) {
        processes.add(process);
        return process;
    }

    /** Where signaling listens. */
    URI base() {
        return base;
    }

    /** Processor time so far. */
    long cpuNanos() {
        return processes.stream().mapToLong(ServiceProcess::cpuNanos).sum();
    }

    /** The process that clients talk to. */
    ServiceProcess signaling() {
        return processes.getLast();
    }

    @Override
    public void close() {
        processes.reversed().forEach(ServiceProcess::close);
    }
}
