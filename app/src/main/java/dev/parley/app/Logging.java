package dev.parley.app;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Sends log lines to standard error, one line each; {@code -Djava.util.logging.config.file}
 * overrides it.
 */
final class Logging {
    private static volatile @Nullable LogQueue queue;

    private Logging() {}

    /** Until the config is read. */
    static void configure() {
        if (isOverridden()) {
            return;
        }
        try (InputStream defaults = Logging.class.getResourceAsStream("logging.properties")) {
            if (defaults != null) {
                LogManager.getLogManager().readConfiguration(defaults);
            }
        } catch (IOException e) {
            throw new IllegalStateException("logging.properties cannot be read", e);
        }
        queue();
        configure(LogFormat.TEXT, true, Set.of());
    }

    /** Whoever logs waits for nobody who reads. */
    private static void queue() {
        Logger root = Logger.getLogger("");
        for (Handler handler : root.getHandlers()) {
            LogQueue queued = new LogQueue(handler);
            root.removeHandler(handler);
            root.addHandler(queued);
            queue = queued;
        }
    }

    /** Lines that nobody wrote, since too many waited for standard error. */
    static long dropped() {
        LogQueue queued = queue;
        return queued == null ? 0 : queued.dropped();
    }

    /**
     * As the config says.
     *
     * @param mask whether addresses are masked
     * @param own addresses that are shown all the same, since the config has them
     */
    static void configure(LogFormat format, boolean mask, Set<String> own) {
        if (isOverridden()) {
            return;
        }
        for (Handler handler : Logger.getLogger("").getHandlers()) {
            handler.setFormatter(new LineFormatter(format == LogFormat.JSON, mask, own));
            if (handler.getFilter() == null) {
                handler.setFilter(new LineLimit());
            }
        }
    }

    private static boolean isOverridden() {
        return System.getProperty("java.util.logging.config.file") != null;
    }
}
