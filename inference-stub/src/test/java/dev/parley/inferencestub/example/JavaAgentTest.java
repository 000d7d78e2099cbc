package dev.parley.inferencestub.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The agent in examples/java. */
class JavaAgentTest {
    private static final Path SOURCE = Path.of("examples/java/Agent.java");

    @Test
    void answersAnUtteranceAndStopsWhenInterrupted() throws Exception {
        ExampleCall.toAgentOf(
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--sun-misc-unsafe-memory-access=allow",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SOURCE.toAbsolutePath().toString(),
                        "0"));
    }

    @Test
    void isShortEnoughToBeRead() throws IOException {
        assertThat(Files.readAllLines(SOURCE)).hasSizeLessThan(150);
    }
}
