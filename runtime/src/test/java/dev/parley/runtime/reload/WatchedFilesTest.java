package dev.parley.runtime.reload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.runtime.config.ConfigException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedFilesTest {
    @TempDir private Path folder;

    @Test
    void takesNewContentWhenItCanBeUsed() throws IOException {
        Path file = Files.writeString(folder.resolve("keys"), "1");
        WatchedFiles<Integer> number = new WatchedFiles<>("keys", List.of(file), this::parse);
        assertThat(number.current()).isEqualTo(1);
        assertThat(number.check()).isFalse();

        Files.writeString(file, "2");
        assertThat(number.check()).isTrue();
        assertThat(number.current()).isEqualTo(2);
    }

    @Test
    void keepsWhatItHasWhenNewContentIsUnusable() throws IOException {
        Path file = Files.writeString(folder.resolve("keys"), "1");
        WatchedFiles<Integer> number = new WatchedFiles<>("keys", List.of(file), this::parse);

        Files.writeString(file, "nonsense");
        assertThat(number.check()).isFalse();
        assertThat(number.check()).isFalse();
        assertThat(number.failures()).isEqualTo(1);
        Files.delete(file);
        assertThat(number.check()).isFalse();
        assertThat(number.current()).isEqualTo(1);

        Files.writeString(file, "3");
        assertThat(number.check()).isTrue();
        assertThat(number.current()).isEqualTo(3);
    }

    @Test
    void namesTheFileThatCannotBeRead() {
        Path missing = folder.resolve("missing");

        assertThatThrownBy(() -> new WatchedFiles<>("keys", List.of(missing), this::parse))
                .isInstanceOf(ConfigException.class)
                .hasMessage("keys: the file " + missing + " cannot be read; give a readable file");
    }

    private Integer parse(List<byte[]> contents) {
        String text = new String(contents.getFirst(), StandardCharsets.UTF_8);
        if (!text.matches("\\d+")) {
            throw new ConfigException("keys: no number");
        }
        return Integer.valueOf(text);
    }
}
