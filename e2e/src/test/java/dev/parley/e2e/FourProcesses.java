package dev.parley.e2e;

import dev.parley.e2e.drill.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** The four services as four processes on one address and free ports. Owned by one test. */
final class FourProcesses implements AutoCloseable {
    static final String STUB = "inference-stub";
    static final String SPARE_STUB = "spare-stub";

    private static final String OPERATIONS = "operations page on ";
    private static final String ROUTE_KEY = "00112233445566778899aabbccddeeff";

    private final Path folder;
    private final List<String> prefix;
    private final String commonYaml;
    private final SequencedMap<String, ChildProcess> started = new LinkedHashMap<>();
    private final String relayAddress;
    private final URI base;

    private FourProcesses(
            Path folder,
            List<String> prefix,
            String publicAddress,
            String transceiverYaml,
            String commonYaml,
            boolean spare) {
        this.folder = folder;
        this.prefix = prefix;
        this.commonYaml = commonYaml;
        String stubs = stub(STUB) + (spare ? ", " + stub(SPARE_STUB) : "");
        String transceiverAddress =
                service(
                        "transceiver",
                        """
                        media_address: 127.0.0.1:0
                        control_address: 127.0.0.1:0
                        relay_cidrs: [127.0.0.0/8]
                        cluster_id: 7
                        route_key_id: 5
                        route_keys: {5: %s}
                        backends: {"*": [%s]}
                        %s
                        """
                                .formatted(ROUTE_KEY, stubs, transceiverYaml));
        relayAddress =
                service(
                        "relay",
                        """
                        public_addresses: ["%s:%d"]
                        upstream_address: 127.0.0.1:%d
                        health_address: 127.0.0.1:0
                        transceiver_cidrs: [127.0.0.0/8]
                        cluster_id: 7
                        route_keys: {5: %s, 4: ffeeddccbbaa99887766554433221100}
                        """
                                .formatted(
                                        publicAddress,
                                        FreePorts.next(),
                                        FreePorts.next(),
                                        ROUTE_KEY));
        String signalingAddress =
                service(
                        "signaling",
                        """
                        http_address: "%s:0"
                        transceivers: ["%s"]
                        relay_addresses: ["%s"]
                        call_id_key: 0123456789abcdef0123456789abcdef
                        auth: any
                        admin_peers: [%s]
                        """
                                .formatted(
                                        publicAddress,
                                        transceiverAddress,
                                        relayAddress,
                                        started.keySet().stream()
                                                .map(this::operations)
                                                .map(page -> '"' + page.getAuthority() + '"')
                                                .collect(Collectors.joining(", "))));
        base = URI.create("http://" + signalingAddress);
    }

    /** Starts one that keeps its port when it starts again. */
    private String stub(String name) {
        return '"' + service(name, "grpc_address: 127.0.0.1:" + FreePorts.next()) + '"';
    }

    /** Starts them on the loopback address. */
    static FourProcesses start(Path folder) {
        return start(folder, List.of(), "127.0.0.1", "");
    }

    /** Starts them on the loopback address, with lines that all config files end with. */
    static FourProcesses start(Path folder, String commonYaml) {
        return new FourProcesses(folder, List.of(), "127.0.0.1", "", commonYaml, false);
    }

    /** The same with a second inference stub, that calls can go on with when one is killed. */
    static FourProcesses startWithSpare(Path folder, String commonYaml) {
        return new FourProcesses(folder, List.of(), "127.0.0.1", "", commonYaml, true);
    }

    /**
     * Starts them.
     *
     * @param folder for their config files
     * @param prefix words in front of each command line, such as a namespace to run it in
     * @param publicAddress where clients reach relay and signaling
     * @param transceiverYaml lines that the transceiver's config ends with
     */
    static FourProcesses start(
            Path folder, List<String> prefix, String publicAddress, String transceiverYaml) {
        return new FourProcesses(folder, prefix, publicAddress, transceiverYaml, "", false);
    }

    /** Starts a service, waits until it is ready and answers its address. */
    private String service(String name, String yaml) {
        try {
            Path file = folder.resolve(name + ".yaml");
            Files.writeString(
                    file, yaml.stripTrailing() + "\nadmin_address: 127.0.0.1:0\n" + commonYaml);
            return start(name);
        } catch (IOException e) {
            close();
            throw new UncheckedIOException(e);
        } catch (AssertionError e) {
            close();
            throw e;
        }
    }

    private String start(String name) {
        String command = name.equals(SPARE_STUB) ? STUB : name;
        String file = folder.resolve(name + ".yaml").toString();
        ChildProcess process = ChildProcess.parley(prefix, command, "--config", file);
        started.put(name, process);
        String line = process.awaitReady();
        return line.substring(line.lastIndexOf(' ') + 1);
    }

    /** Kills a service and starts it again as it was. */
    void killAndStart(String name) {
        ChildProcess killed = process(name);
        killed.kill();
        var _ = killed.awaitExit();
        var _ = start(name);
    }

    /** The process of a service. */
    ChildProcess process(String name) {
        return Objects.requireNonNull(started.get(name), name);
    }

    /** Where a service's operations page is. */
    URI operations(String name) {
        return process(name).output().stream()
                .filter(line -> line.contains(OPERATIONS))
                .map(line -> line.substring(line.indexOf(OPERATIONS) + OPERATIONS.length()))
                .map(URI::create)
                .findFirst()
                .orElseThrow();
    }

    /** Where signaling listens. */
    URI base() {
        return base;
    }

    /** The address that answers advertise. */
    String relayAddress() {
        return relayAddress;
    }

    /** In the order in which they are best stopped: whoever calls others comes first. */
    List<ChildProcess> all() {
        return List.copyOf(started.reversed().values());
    }

    @Override
    public void close() {
        all().forEach(ChildProcess::close);
    }
}
