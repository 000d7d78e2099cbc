package dev.parley.bench.signaling;

import dev.parley.bench.ProcessMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A service, or the whole product, in a JVM of its own, and what it uses. */
final class ServiceProcess implements AutoCloseable {
    private static final String READY = "ready ";

    private final Process process;
    private final String ready;

    private ServiceProcess(Process process, String ready) {
        this.process = process;
        this.ready = ready;
    }

    /** Starts what {@code ./parley} starts with these arguments, and waits until it is ready. */
    static ServiceProcess start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), "dev.parley.app.Main"));
        command.addAll(List.of(arguments));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(READY)) {
                var _ = Thread.ofVirtual().start(() -> drain(output));
                return new ServiceProcess(process, line.substring(READY.length()).strip());
            }
        }
        throw new IOException(arguments[0] + " ended before it was ready");
    }

    private static void drain(BufferedReader output) {
        output.lines().forEach(_ -> {});
    }

    /** What it says when it is ready, its address last. */
    String ready() {
        return ready;
    }

    /** Processor time so far. */
    long cpuNanos() {
        return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }

    /** Resident memory in MiB. */
    double residentMib() throws IOException {
        return ProcessMemory.residentMib(process.pid());
    }

    /** Java heap in use after a collection, in MiB. */
    double liveHeapMib() throws IOException {
        return ProcessMemory.liveHeapMib(process.pid());
    }

    @Override
    public void close() {
        process.destroy();
    }
}
