package dev.parley.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A little of each target; {@code ./parley fuzz} goes on for hours. */
class FuzzTest {
    private static final Duration TIME = Duration.ofSeconds(80);

    @TempDir private Path folder;

    @Test
    void aShortRunOfAllTargetsFindsNothing() throws Exception {
        FuzzRun.Result result =
                FuzzRun.briefly(AnyFuzz.class, corpusOfAll(), folder.resolve("work"), TIME);

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("stat::number_of_executed_units");
        System.out.println(result.output().replaceAll("(?s).*(?=stat::number)", ""));
    }

    private Path corpusOfAll() throws IOException {
        Path corpus = Files.createDirectory(folder.resolve("corpus"));
        for (FuzzTarget target : FuzzTarget.values()) {
            for (Path input : target.inputs()) {
                Files.write(
                        corpus.resolve(target.label() + "-" + input.getFileName()),
                        AnyFuzz.input(target, Files.readAllBytes(input)));
            }
        }
        return corpus;
    }
}
