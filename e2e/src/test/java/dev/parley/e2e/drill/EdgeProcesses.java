package dev.parley.e2e.drill;

import dev.parley.e2e.ChildProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Transceiver, relay and signaling as processes, for given backends. Owned by one drill. */
final class EdgeProcesses implements AutoCloseable {
    private static final String ROUTE_KEY = "00112233445566778899aabbccddeeff";

    private final List<ChildProcess> started = new ArrayList<>();
    private final Path folder;
    private URI base = URI.create("http://localhost");

    private EdgeProcesses(Path folder) {
        this.folder = folder;
    }

    /**
     * Starts them.
     *
     * @param backends addresses that serve every model, commas between them
     * @param options further lines of the transceiver's config
     */
    static EdgeProcesses start(Path folder, String backends, String options) throws IOException {
        EdgeProcesses made = new EdgeProcesses(folder);
        try {
            made.base = made.start(backends, options);
            return made;
        } catch (IOException | RuntimeException | Error e) {
            made.close();
            throw e;
        }
    }

    private URI start(String backends, String options) throws IOException {
        String transceiver =
                service(
                        "transceiver",
                        """
                        media_address: 127.0.0.1:0
                        control_address: 127.0.0.1:0
                        relay_cidrs: [127.0.0.0/8]
                        route_key_id: 5
                        route_keys: {5: %s}
                        backends: {"*": [%s]}
                        %s
                        """
                                .formatted(ROUTE_KEY, backends, options));
        String relay =
                service(
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
                        "signaling",
                        """
                        http_address: 127.0.0.1:0
                        transceivers: ["%s"]
                        relay_addresses: ["%s"]
                        call_id_key: 0123456789abcdef0123456789abcdef
                        """
                                .formatted(transceiver, relay));
        return URI.create("http://" + signaling);
    }

    private String service(String name, String yaml) throws IOException {
        Path file = folder.resolve(name + ".yaml");
        Files.writeString(file, yaml);
        ChildProcess process = ChildProcess.parley(name, "--config", file.toString());
        started.add(process);
        String line = process.awaitReady();
        return line.substring(line.lastIndexOf(' ') + 1);
    }

    /** Where signaling listens. */
    URI base() {
        return base;
    }

    ChildProcess transceiver() {
        return started.getFirst();
    }

    @Override
    public void close() {
        started.reversed().forEach(ChildProcess::close);
    }
}
