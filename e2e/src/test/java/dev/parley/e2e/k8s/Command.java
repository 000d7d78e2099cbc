package dev.parley.e2e.k8s;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the system's own commands. */
final class Command {
    private static final long SECONDS = 20;

    private Command() {}

    /**
     * Waits for a command and answers what it printed.
     *
     * @throws IOException when it fails; the message has its output
     */
    static String run(String... words) throws IOException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                var _ = process.destroyForcibly();
                throw new IOException(String.join(" ", List.of(words)) + ": " + output.strip());
            }
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
