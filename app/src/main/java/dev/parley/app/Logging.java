package dev.parley.app;

import java.io.IOException;
import java.io.InputStream;
import java.util.logging.LogManager;

/**
 * Sends log lines to standard error, one line each; {@code -Djava.util.logging.config.file}
 * overrides it.
 */
final class Logging {
    private Logging() {}

    static void configure() {
        if (System.getProperty("java.util.logging.config.file") != null) {
            return;
        }
        try (InputStream defaults = Logging.class.getResourceAsStream("logging.properties")) {
            if (defaults != null) {
                LogManager.getLogManager().readConfiguration(defaults);
            }
        } catch (IOException e) {
            throw new IllegalStateException("logging.properties cannot be read", e);
        }
    }
}
