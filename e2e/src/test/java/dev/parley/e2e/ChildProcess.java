package dev.parley.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The product's {@code main} in a JVM of its own, as {@code ./parley} starts it. Owned by one test.
 */
public final class ChildProcess implements AutoCloseable {
    private static final long READY_SECONDS = 60;
    private static final long STOP_SECONDS = 20;

    /** The script that starts services; without it they are started from this class path. */
    private static final String SCRIPT = System.getProperty("parley.command", "");

    private final Process process;
    private final List<String> output = new CopyOnWriteArrayList<>();
    private final CompletableFuture<String> ready = new CompletableFuture<>();

    private ChildProcess(Process process) {
        this.process = process;
        Thread.ofVirtual().start(this::read);
    }

    /** Starts {@code ./parley} with these words. */
    public static ChildProcess parley(String... words) {
        return parley(List.of(), words);
    }

    /** The same behind words such as a namespace to run it in. */
    public static ChildProcess parley(List<String> prefix, String... words) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(SCRIPT.isEmpty() ? javaCommand() : List.of(SCRIPT));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", ""));
        try {
            return new ChildProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> javaCommand() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.parley.app.Main");
    }

    /** Waits for the line that says it is ready and answers it. */
    public String awaitReady() {
        try {
            return ready.get(READY_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("not ready; it printed:\n" + String.join("\n", output), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    public long pid() {
        return process.pid();
    }

    /** Sends SIGTERM; what it prints from then on is read as well. */
    public void terminate() {
        // Of the two ways to the same signal this one leaves the streams open.
        var _ = process.toHandle().destroy();
    }

    /** Sends SIGHUP: read the config again. */
    void hangUp() {
        try {
            int status =
                    new ProcessBuilder("kill", "-HUP", Long.toString(process.pid()))
                            .start()
                            .waitFor();
            if (status != 0) {
                throw new AssertionError("kill -HUP ended with " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Waits until a line that it printed has this in it. */
    void awaitLine(String part) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
        try {
            synchronized (output) {
                while (output.stream().noneMatch(line -> line.contains(part))) {
                    long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                    if (left <= 0) {
                        throw new AssertionError(
                                "no \"" + part + "\"; it printed:\n" + String.join("\n", output));
                    }
                    output.wait(left);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Sends SIGKILL. */
    public void kill() {
        var _ = process.destroyForcibly();
    }

    /** Waits for its end and answers the exit code. */
    public int awaitExit() {
        return awaitExit(STOP_SECONDS);
    }

    /** The same for one that takes longer. */
    int awaitExit(long seconds) {
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                throw new AssertionError(
                        "still running; it printed:\n" + String.join("\n", output));
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Everything printed so far, standard output and standard error. */
    public List<String> output() {
        return output;
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (output) {
                    output.add(line);
                    output.notifyAll();
                }
                if (line.startsWith("ready ")) {
                    ready.complete(line);
                }
            }
        } catch (IOException e) {
            output.add("(output lost: " + e.getMessage() + ")");
        }
        ready.completeExceptionally(new IllegalStateException("ended before it was ready"));
    }

    @Override
    public void close() {
        kill();
        var _ = awaitExit();
    }
}
