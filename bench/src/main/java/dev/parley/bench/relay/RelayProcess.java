package dev.parley.bench.relay;

import dev.parley.bench.ProcessMemory;
import dev.parley.runtime.udp.CoreAffinity;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A running contestant, and what the kernel says it has used. */
final class RelayProcess implements AutoCloseable {
    // In capitals from the references.
    private static final String READY = "ready";
    private static final String ALLOCATED = "ALLOCATED ";

    private final Contestant contestant;
    private final Process process;
    private final BufferedReader output;
    private final PrintWriter input;

    private RelayProcess(Contestant contestant, Process process) {
        this.contestant = contestant;
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.input = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    }

    /**
     * Starts a contestant without waiting for it.
     *
     * @param core where it shall run, with all its threads; negative for anywhere
     */
    static RelayProcess launch(Contestant contestant, String publicAddress, String sink, int core)
            throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(contestant.command(publicAddress, sink))
                        .redirectError(ProcessBuilder.Redirect.to(Path.of("/dev/null").toFile()));
        // A child runs where its parent's thread may run.
        CoreAffinity affinity = core < 0 ? null : CoreAffinity.pin(core);
        try {
            return new RelayProcess(contestant, builder.start());
        } catch (IOException e) {
            throw new IOException(contestant.name() + " does not start: " + e.getMessage(), e);
        } finally {
            if (affinity != null) {
                affinity.close();
            }
        }
    }

    /** Waits until it says that it is ready. */
    void awaitReady() throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.regionMatches(true, 0, READY, 0, READY.length())) {
                return;
            }
        }
        throw new IOException(contestant.name() + " ended before it was ready");
    }

    /** Processor time of all its living threads, user and system. */
    long cpuNanos() throws IOException {
        List<Path> threads;
        try (var listing = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            threads = listing.toList();
        }
        long sum = 0;
        for (Path thread : threads) {
            String stat = readIfThere(thread.resolve("schedstat"));
            if (!stat.isEmpty()) {
                sum += Long.parseLong(stat.substring(0, stat.indexOf(' ')));
            }
        }
        return sum;
    }

    // A thread may end between the listing and the read.
    private static String readIfThere(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException _) {
            return "";
        }
    }

    /** Resident memory in MiB. */
    double residentMib() throws IOException {
        return ProcessMemory.residentMib(process.pid());
    }

    /** Bytes that all its threads have allocated; NaN when it cannot tell. */
    double allocatedBytes() throws IOException {
        if (!contestant.isOurs()) {
            return Double.NaN;
        }
        input.println();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(ALLOCATED)) {
                return Long.parseLong(line.substring(ALLOCATED.length()));
            }
        }
        throw new IOException(contestant.name() + " ended during the measurement");
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            var _ = process.waitFor(5, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
