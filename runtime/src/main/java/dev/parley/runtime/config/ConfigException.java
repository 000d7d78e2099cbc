package dev.parley.runtime.config;

/**
 * A config that cannot be used. The message is one line that names the key, what is wrong and the
 * fix.
 */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }
}
