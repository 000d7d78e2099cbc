package dev.parley.bench.audio;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The product's transceiver in a process of its own, with the flags of the {@code parley} script.
 */
final class TransceiverProcess implements AutoCloseable {
    private static final String READY = "ready transceiver ";

    private final Process process;
    private final Path config;
    private final InetSocketAddress media;
    private final InetSocketAddress control;

    private TransceiverProcess(
            Process process, Path config, InetSocketAddress media, InetSocketAddress control) {
        this.process = process;
        this.config = config;
        this.media = media;
        this.control = control;
    }

    /**
     * Starts it and waits until it takes calls.
     *
     * @param options more lines of its config
     */
    static TransceiverProcess start(String backend, List<String> options) throws IOException {
        int port = freePort();
        Path config = Files.createTempFile("parley-bench-", ".yaml");
        List<String> lines = new ArrayList<>();
        lines.add("media_address: 127.0.0.1:" + port);
        lines.add("control_address: 127.0.0.1:0");
        lines.add("route_key_id: 1");
        lines.add("route_keys:");
        lines.add("  1: 000102030405060708090a0b0c0d0e0f");
        lines.add("backends:");
        lines.add("  \"*\": " + backend);
        lines.addAll(options);
        Files.write(config, lines);
        Process process =
                new ProcessBuilder(
                                ProcessHandle.current().info().command().orElse("java"),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-XX:+UseZGC",
                                "-XX:+UseCompactObjectHeaders",
                                "-Xmx512m",
                                "-Djdk.virtualThreadScheduler.parallelism=4",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "dev.parley.app.Main",
                                "transceiver",
                                "--config",
                                config.toString())
                        .redirectError(Path.of("/dev/null").toFile())
                        .start();
        try {
            return new TransceiverProcess(
                    process,
                    config,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    control(process));
        } catch (IOException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            return socket.getLocalPort();
        }
    }

    private static InetSocketAddress control(Process process) throws IOException {
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(READY)) {
                int port = Integer.parseInt(line.substring(line.lastIndexOf(':') + 1).strip());
                return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            }
        }
        throw new IOException("the transceiver does not start");
    }

    long pid() {
        return process.pid();
    }

    InetSocketAddress media() {
        return media;
    }

    InetSocketAddress control() {
        return control;
    }

    /** Processor time of all its living threads but the just-in-time compiler's. */
    long cpuNanos() throws IOException {
        List<Path> threads;
        try (var listing = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            threads = listing.toList();
        }
        long sum = 0;
        for (Path thread : threads) {
            try {
                if (!Files.readString(thread.resolve("comm")).matches("C[12] Compiler.*\\s*")) {
                    String stat = Files.readString(thread.resolve("schedstat"));
                    sum += Long.parseLong(stat.substring(0, stat.indexOf(' ')));
                }
            } catch (IOException _) {
                // The thread ended between the listing and the read.
            }
        }
        return sum;
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(config);
    }
}
