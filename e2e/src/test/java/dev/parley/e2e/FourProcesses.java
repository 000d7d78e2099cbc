package dev.parley.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The four services as four processes on one address and free ports. Owned by one test. */
final class FourProcesses implements AutoCloseable {
    private static final String ROUTE_KEY = "00112233445566778899aabbccddeeff";

    private final Path folder;
    private final List<String> prefix;
    private final String commonYaml;
    private final List<ChildProcess> started = new ArrayList<>();
    private final String relayAddress;
    private final URI base;

    private FourProcesses(
            Path folder, List<String> prefix, String publicAddress, String commonYaml) {
        this.folder = folder;
        this.prefix = prefix;
        this.commonYaml = commonYaml;
        String stubAddress = service("inference-stub", "grpc_address: 127.0.0.1:0");
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
                        backends: {"*": "%s"}
                        """
                                .formatted(ROUTE_KEY, stubAddress));
        relayAddress =
                service(
                        "relay",
                        """
                        public_addresses: ["%s:0"]
                        upstream_address: 127.0.0.1:0
                        health_address: 127.0.0.1:0
                        transceiver_cidrs: [127.0.0.0/8]
                        cluster_id: 7
                        route_keys: {5: %s, 4: ffeeddccbbaa99887766554433221100}
                        """
                                .formatted(publicAddress, ROUTE_KEY));
        String signalingAddress =
                service(
                        "signaling",
                        """
                        http_address: "%s:0"
                        transceivers: ["%s"]
                        relay_addresses: ["%s"]
                        call_id_key: 0123456789abcdef0123456789abcdef
                        auth: any
                        """
                                .formatted(publicAddress, transceiverAddress, relayAddress));
        base = URI.create("http://" + signalingAddress);
    }

    /** Starts them on the loopback address. */
    static FourProcesses start(Path folder) {
        return start(folder, List.of(), "127.0.0.1");
    }

    /** Starts them on the loopback address, with lines that all config files end with. */
    static FourProcesses start(Path folder, String commonYaml) {
        return new FourProcesses(folder, List.of(), "127.0.0.1", commonYaml);
    }

    /**
     * Starts them.
     *
     * @param folder for their config files
     * @param prefix words in front of each command line, such as a namespace to run it in
     * @param publicAddress where clients reach relay and signaling
     */
    static FourProcesses start(Path folder, List<String> prefix, String publicAddress) {
        return new FourProcesses(folder, prefix, publicAddress, "");
    }

    /** Starts a service, waits until it is ready and answers its address. */
    private String service(String name, String yaml) {
        try {
            Path file = folder.resolve(name + ".yaml");
            Files.writeString(
                    file, yaml.stripTrailing() + "\nadmin_address: 127.0.0.1:0\n" + commonYaml);
            ChildProcess process = ChildProcess.parley(prefix, name, "--config", file.toString());
            started.add(process);
            String line = process.awaitReady();
            return line.substring(line.lastIndexOf(' ') + 1);
        } catch (IOException e) {
            close();
            throw new UncheckedIOException(e);
        } catch (AssertionError e) {
            close();
            throw e;
        }
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
        return started.reversed();
    }

    @Override
    public void close() {
        all().forEach(ChildProcess::close);
    }
}
