package dev.parley.signaling.auth;

import java.util.List;

/**
 * What a credential allows.
 *
 * @param models names of models, or beginnings of names that end in {@code *}; empty allows all
 * @param callsPerMinute calls that may be started a minute; 0 is no limit
 * @param burst calls that may be started at once, within the limit
 */
public record Grant(List<String> models, int callsPerMinute, int burst) {
    /** Every model, any number of calls. */
    public static final Grant EVERYTHING = new Grant(List.of(), 0, 1);

    public Grant {
        models = List.copyOf(models);
        if (callsPerMinute < 0 || burst < 1) {
            throw new IllegalArgumentException("limits are at least 0 a minute and 1 at once");
        }
    }

    /** Whether calls to this model may be started. */
    public boolean allows(String model) {
        return models.isEmpty() || models.stream().anyMatch(pattern -> matches(pattern, model));
    }

    private static boolean matches(String pattern, String model) {
        return pattern.endsWith("*")
                ? model.startsWith(pattern.substring(0, pattern.length() - 1))
                : model.equals(pattern);
    }

    /** The same limits for these models only. */
    Grant only(List<String> fewer) {
        return new Grant(fewer, callsPerMinute, burst);
    }
}
