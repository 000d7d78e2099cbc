package dev.parley.bench.audio;

import org.jspecify.annotations.Nullable;

/**
 * What is asked of {@link ChurnBench}.
 *
 * @param cycles callers that come and vanish
 * @param json file for the figures, or null
 */
record ChurnOptions(int cycles, @Nullable String json) {
    private static final int CYCLES = 10_000;

    /**
     * @throws IllegalArgumentException naming what is wrong
     */
    static ChurnOptions of(String[] arguments) {
        int cycles = CYCLES;
        String json = null;
        for (int i = 0; i < arguments.length; i += 2) {
            String value = i + 1 < arguments.length ? arguments[i + 1] : "";
            switch (arguments[i]) {
                case "--cycles" -> cycles = AudioOptions.number(arguments[i], value);
                case "--json" -> json = value;
                default ->
                        throw new IllegalArgumentException(
                                "options: --cycles N, --json FILE; not \"" + arguments[i] + "\"");
            }
        }
        return new ChurnOptions(cycles, json);
    }
}
