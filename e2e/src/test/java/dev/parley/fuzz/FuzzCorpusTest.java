package dev.parley.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All that a parser once failed on or should know stays in the corpus. */
class FuzzCorpusTest {
    @ParameterizedTest
    @EnumSource
    void everyInputOfTheCorpusPasses(FuzzTarget target) throws IOException {
        assertThat(target.inputs()).isNotEmpty();
        for (Path input : target.inputs()) {
            target.test(Files.readAllBytes(input));
        }
    }
}
