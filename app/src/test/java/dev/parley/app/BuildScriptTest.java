package dev.parley.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When {@code ./parley} builds, in a tree of its own whose Maven only notes that it was called. */
class BuildScriptTest {
    @TempDir private Path tree;

    @BeforeEach
    void plant() throws IOException {
        Files.copy(Path.of("..", "parley"), tree.resolve("parley"));
        executable("bin/mvn", "#!/bin/sh\necho called >>\"%s\"\nexit 1\n".formatted(calls()));
        for (String module : new String[] {"app", "bench"}) {
            Files.createDirectories(tree.resolve(module).resolve("src"));
            Files.createFile(tree.resolve(module).resolve("pom.xml"));
        }
        Files.createFile(tree.resolve("pom.xml"));
        Files.createDirectories(tree.resolve("app/target/lib"));
        Files.createFile(tree.resolve("app/target/.built"));
    }

    @Test
    void buildsTheAppAgainAfterABuildOfAnotherModuleHasFailed() throws Exception {
        assertThat(parley("bench")).isOne();
        assertThat(calls()).hasContent("called");

        assertThat(parley("build")).isOne();
        assertThat(calls()).hasContent("called\ncalled");
    }

    @Test
    void needsToWriteNothingWhenAllIsBuilt() throws Exception {
        // Nobody can open a folder for writing, whoever he is.
        Files.createDirectories(tree.resolve("target/.building"));

        assertThat(parley("build")).isZero();
        assertThat(calls()).doesNotExist();
    }

    private Path calls() {
        return tree.resolve("calls");
    }

    private void executable(String name, String text) throws IOException {
        Path file = tree.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text, StandardCharsets.UTF_8);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private int parley(String command) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder("bash", tree.resolve("parley").toString(), command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().merge("PATH", "", (path, _) -> tree.resolve("bin") + ":" + path);
        return builder.start().waitFor();
    }
}
