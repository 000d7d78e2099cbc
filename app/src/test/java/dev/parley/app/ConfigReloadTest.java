package dev.parley.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.runtime.config.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigReloadTest {
    record Keys(
            @Option("keys by id") Map<String, String> routeKeys,
            @Option("the one to seal with") int routeKeyId) {}

    @TempDir private Path folder;
    private final List<Keys> taken = new ArrayList<>();
    private ConfigReload<Keys> reload;

    @BeforeEach
    void start() throws IOException {
        Path config = Files.writeString(folder.resolve("config.yaml"), "");
        secret("1=a", "1");
        reload =
                ConfigReload.of(
                        Keys.class,
                        config,
                        Map.of(
                                "PARLEY_ROUTE_KEYS_FILE",
                                folder.resolve("keys").toString(),
                                "PARLEY_ROUTE_KEY_ID_FILE",
                                folder.resolve("id").toString()),
                        taken::add);
    }

    @AfterEach
    void stop() {
        reload.close();
    }

    private void secret(String keys, String id) throws IOException {
        Files.writeString(folder.resolve("keys"), keys);
        Files.writeString(folder.resolve("id"), id);
    }

    @Test
    void takesASecretThatChanged() throws IOException {
        reload.look();
        assertThat(taken).isEmpty();
        secret("1=a,2=b", "1");
        reload.look();
        reload.look();
        assertThat(taken).containsExactly(new Keys(Map.of("1", "a", "2", "b"), 1));
    }

    @Test
    void leavesWhatCannotBeUsedUntilItIsMended() throws IOException {
        secret("1=a,2=b", "two");
        reload.look();
        assertThat(taken).isEmpty();
        secret("1=a,2=b", "2");
        reload.look();
        assertThat(taken).containsExactly(new Keys(Map.of("1", "a", "2", "b"), 2));
    }

    @Test
    void takesWhatThereIsWhenTold() {
        reload.again();
        assertThat(taken).containsExactly(new Keys(Map.of("1", "a"), 1));
    }
}
