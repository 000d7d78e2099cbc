package dev.parley.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What signals do to a process, seen from outside. */
class StopSignalTest {
    private static final int EXIT_SIGTERM = 143;

    /** A service whose orderly stop never ends. */
    static final class Stubborn {
        public static void main(String[] arguments) throws InterruptedException {
            StopSignal stop = StopSignal.install();
            System.out.println("ready");
            stop.await();
            System.out.println("stopping");
            Thread.currentThread().join();
        }
    }

    @Test
    void theFirstSigtermBeginsAStopAndTheSecondEndsTheProcessAtOnce()
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Stubborn.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("ready");
            terminate(process);
            assertThat(lines.readLine()).isEqualTo("stopping");
            assertThat(process.isAlive()).isTrue();
            terminate(process);
            assertThat(process.waitFor()).isEqualTo(EXIT_SIGTERM);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void terminate(Process process) {
        // Process.destroy would close what it prints to.
        assertThat(process.toHandle().destroy()).isTrue();
    }
}
