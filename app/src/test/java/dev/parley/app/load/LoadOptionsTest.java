package dev.parley.app.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.parley.runtime.config.ConfigException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadOptionsTest {
    @Test
    void callsAnEchoOnThisMachineUnlessToldOtherwise() {
        LoadOptions options = LoadOptions.of(Map.of());

        assertThat(options.url()).hasToString("http://127.0.0.1:8080");
        assertThat(options.model()).isEqualTo("echo");
        assertThat(options.sessions()).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({
        "sessions, 0",
        "sessions, many",
        "sessions, 2.5",
        "seconds, -1",
        "url, parley",
        "url, ftp://parley",
        "url, http://",
        "model, ' '",
        "loss, 101",
        "ramp, 0",
        "verify-tls, perhaps",
        "json, /nowhere/at/all.json",
        "audio, /nowhere/at/all.wav",
        "seed, x"
    })
    void namesTheOptionThatCannotBeUsed(String name, String value) {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> LoadOptions.of(Map.of(name, value)))
                .withMessageStartingWith("--" + name + " is ");
    }

    @Test
    void wantsNoFileWhereAFolderIs(@TempDir Path folder) {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> LoadOptions.of(Map.of("html", folder.toString())))
                .withMessageContaining("--html");
    }

    @Test
    void takesABaseUrlWithASlashAtItsEnd() {
        assertThat(LoadOptions.of(Map.of("url", "https://voice.example/edge/")).url())
                .hasToString("https://voice.example/edge");
    }

    @Test
    void makesPausesAsLongAsTalkingWhenOnlyThatIsGiven() {
        LoadOptions options = LoadOptions.of(Map.of("talk", "3"));

        assertThat(options.silenceSeconds()).isEqualTo(3);
    }
}
