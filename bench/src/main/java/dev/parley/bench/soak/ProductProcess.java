package dev.parley.bench.soak;

import dev.parley.bench.ProcessMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The whole product as {@code ./parley up} runs it, and what it holds. */
final class ProductProcess implements AutoCloseable {
    private static final String READY = "ready ";
    private static final long STOP_SECONDS = 20;

    private final Process process;
    private final URI url;

    private ProductProcess(Process process, URI url) {
        this.process = process;
        this.url = url;
    }

    /** Starts it on free ports and waits until it is ready. */
    static ProductProcess start() throws IOException {
        String command = System.getenv().getOrDefault("PARLEY_COMMAND", "./parley");
        Process process =
                new ProcessBuilder(command, "up", "--http", "0", "--udp", "0")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(READY)) {
                return new ProductProcess(process, URI.create(line.substring(READY.length())));
            }
        }
        throw new IOException(command + " up does not start; run it to see why");
    }

    URI url() {
        return url;
    }

    /** Live objects on its heap in MiB; asking stops it for a fraction of a second. */
    double liveMib() throws IOException {
        return ProcessMemory.liveHeapMib(process.pid());
    }

    /** What else it holds now. */
    Holdings holdings() throws IOException {
        return new Holdings(
                ProcessMemory.residentMib(process.pid()),
                threads(),
                ProcessMemory.openFiles(process.pid()));
    }

    private int threads() throws IOException {
        try (var tasks = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            return (int) tasks.count();
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
