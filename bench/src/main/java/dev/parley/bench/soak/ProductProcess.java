package dev.parley.bench.soak;

import dev.parley.bench.ProcessMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The whole product as {@code ./parley up} runs it, and what it holds. */
final class ProductProcess implements AutoCloseable {
    private static final String READY = "ready ";
    private static final long STOP_SECONDS = 20;

    /** As ZGC and the others say it: {@code ZHeap used 120M} or {@code total 1K, used 2K}. */
    private static final Pattern USED = Pattern.compile("used (\\d+)([KMG])");

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

    /** What it holds now; collects its garbage first. */
    Holdings holdings() throws IOException {
        var _ = ProcessMemory.jcmd(process.pid(), "GC.run");
        return new Holdings(
                usedMib(ProcessMemory.jcmd(process.pid(), "GC.heap_info")),
                ProcessMemory.residentMib(process.pid()),
                threads(),
                ProcessMemory.openFiles(process.pid()));
    }

    private int threads() throws IOException {
        try (var tasks = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            return (int) tasks.count();
        }
    }

    private static double usedMib(String heap) throws IOException {
        Matcher used = USED.matcher(heap);
        if (!used.find()) {
            throw new IOException("jcmd says: " + heap);
        }
        double size = Long.parseLong(used.group(1));
        return switch (used.group(2)) {
            case "K" -> size / 1024;
            case "G" -> size * 1024;
            default -> size;
        };
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
