package dev.parley.bench.sessions;

import dev.parley.bench.ProcessMemory;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A service of the product in a process of its own, on certain cores, and what it uses. */
final class PinnedProcess implements AutoCloseable {
    /** What a thread's time is spent for. */
    enum Use {
        /** Packets, sessions, codecs: whatever runs on virtual threads. */
        CALLS,
        /** The transport of gRPC. */
        GRPC,
        COLLECTOR,
        COMPILER,
        OTHER
    }

    private static final String READY = "ready ";

    /** A property with more flags for the processes, to profile them with. */
    private static final String FLAGS = "parley.bench.flags";

    /** What {@code ./parley} runs a transceiver with. */
    private static final String PRODUCT_FLAGS = "PARLEY_SERVICE_FLAGS";

    private static final String PRODUCT_CLASS_PATH = "PARLEY_SERVICE_CLASS_PATH";
    private static final String DEFAULT = "-XX:+UseZGC -XX:+UseCompactObjectHeaders -Xmx512m";

    private final Process process;
    private final Path config;
    private final InetSocketAddress address;

    private PinnedProcess(Process process, Path config, InetSocketAddress address) {
        this.process = process;
        this.config = config;
        this.address = address;
    }

    /**
     * Starts it and waits until it is ready.
     *
     * @param main what runs: the app unless it is another transceiver
     * @param cores such as {@code 1} or {@code 0-1}; empty for any
     * @param lines of its config
     */
    static PinnedProcess start(String main, String service, String cores, List<String> lines)
            throws IOException {
        Path config = Files.createTempFile("parley-bench-", ".yaml");
        Files.write(config, lines);
        List<String> command = new ArrayList<>();
        if (!cores.isEmpty()) {
            command.addAll(List.of("taskset", "-c", cores));
        }
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(flags());
        command.addAll(List.of("-cp", classPath(), main, service, "--config", config.toString()));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(READY)) {
                int port = Integer.parseInt(line.substring(line.lastIndexOf(':') + 1).strip());
                return new PinnedProcess(
                        process,
                        config,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            }
        }
        throw new IOException("the " + service + " does not start");
    }

    /** The product's own, its start-up cache included, and those of who measures. */
    private static List<String> flags() {
        List<String> flags = new ArrayList<>();
        flags.addAll(List.of(System.getenv().getOrDefault(PRODUCT_FLAGS, DEFAULT).split(" ")));
        List<String> own = List.of(System.getProperty(FLAGS, "").split(" "));
        if (own.stream().anyMatch(flag -> flag.matches("-XX:\\+Use\\w+GC"))) {
            flags.removeIf(flag -> flag.matches("-XX:\\+Use\\w+GC"));
        }
        flags.addAll(own);
        flags.removeIf(String::isEmpty);
        return flags;
    }

    /** The product's first, as a start-up cache asks for, and then what only the bench has. */
    private static String classPath() {
        String product = System.getenv(PRODUCT_CLASS_PATH);
        String own = System.getProperty("java.class.path");
        return product == null ? own : product + File.pathSeparator + own;
    }

    /** Where its API listens. */
    InetSocketAddress address() {
        return address;
    }

    /** Processor time of its living threads so far. */
    Map<Use, Long> cpuNanos() throws IOException {
        List<Path> threads;
        try (var listing = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            threads = listing.toList();
        }
        Map<Use, Long> sums = new EnumMap<>(Use.class);
        for (Path thread : threads) {
            try {
                Use use = use(Files.readString(thread.resolve("comm")).strip());
                String stat = Files.readString(thread.resolve("schedstat"));
                sums.merge(use, Long.parseLong(stat.substring(0, stat.indexOf(' '))), Long::sum);
            } catch (IOException _) {
                // The thread ended between the listing and the read.
            }
        }
        return sums;
    }

    private static Use use(String name) {
        if (name.startsWith("grpc-")) {
            return Use.GRPC;
        }
        if (name.matches("Z[A-Z].*|ZWorker.*|G1.*|GC .*|VM Thread")) {
            return Use.COLLECTOR;
        }
        if (name.matches("C[12] Comp.*")) {
            return Use.COMPILER;
        }
        return name.startsWith("ForkJoinPool") ? Use.CALLS : Use.OTHER;
    }

    /** Live objects on its heap in MiB; asking stops it for a fraction of a second. */
    double liveMib() throws IOException {
        return ProcessMemory.liveHeapMib(process.pid());
    }

    /** Resident memory in MiB. */
    double residentMib() throws IOException {
        return ProcessMemory.residentMib(process.pid());
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
