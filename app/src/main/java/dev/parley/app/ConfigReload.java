package dev.parley.app;

import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.reload.Ticker;
import dev.parley.runtime.reload.WatchedFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads a service's config again while it runs: on SIGHUP, and when one of the files changes that
 * the environment names for a value, as mounted secrets do. What cannot be used changes nothing.
 */
final class ConfigReload<C extends Record> implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(ConfigReload.class.getName());
    private static final Duration PERIOD = Duration.ofSeconds(10);

    private final Class<C> type;
    private final Path file;
    private final Map<String, String> environment;
    private final Consumer<C> take;
    private final List<WatchedFiles<C>> values;
    private final Ticker ticker;

    private ConfigReload(
            Class<C> type, Path file, Map<String, String> environment, Consumer<C> take) {
        this.type = type;
        this.file = file;
        this.environment = environment;
        this.take = take;
        List<Path> paths = ConfigLoader.valueFiles(type, environment);
        this.values =
                paths.isEmpty()
                        ? List.of()
                        : List.of(new WatchedFiles<>("secrets", paths, _ -> read()));
        this.ticker = Ticker.start("config-files", PERIOD, this::look);
    }

    /**
     * Begins to look at files, and to heed SIGHUP.
     *
     * @param take uses a config that was read again, once at a time
     */
    static <C extends Record> ConfigReload<C> start(Class<C> type, Path file, Consumer<C> take) {
        ConfigReload<C> reload = of(type, file, System.getenv(), take);
        StopSignal.onHangup(reload::again);
        return reload;
    }

    /** The same without the signal, and with this environment. */
    static <C extends Record> ConfigReload<C> of(
            Class<C> type, Path file, Map<String, String> environment, Consumer<C> take) {
        return new ConfigReload<>(type, file, environment, take);
    }

    private C read() {
        return ConfigLoader.loadBeside(type, ProcessConfig.class, file, environment);
    }

    /** Takes what files say now, if that is new. */
    synchronized void look() {
        for (WatchedFiles<C> watched : values) {
            if (watched.check()) {
                take.accept(watched.current());
            }
        }
    }

    /** Takes what files say now. */
    synchronized void again() {
        try {
            take.accept(read());
        } catch (ConfigException e) {
            LOGGER.log(
                    System.Logger.Level.ERROR, "{0} was not read again: {1}", file, e.getMessage());
        }
    }

    @Override
    public void close() {
        ticker.close();
    }
}
