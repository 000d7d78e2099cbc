package dev.parley.bench.audio;

import org.jspecify.annotations.Nullable;

/**
 * What is asked of an audio benchmark.
 *
 * @param rounds of which medians are shown
 * @param seconds of a measurement
 * @param sessions at a time; 0 for the benchmark's own choice
 * @param json file for the figures, or null
 */
record AudioOptions(int rounds, int seconds, int sessions, @Nullable String json) {
    /**
     * @throws IllegalArgumentException naming what is wrong
     */
    static AudioOptions of(String[] arguments, int rounds, int seconds) {
        int sessions = 0;
        String json = null;
        for (int i = 0; i < arguments.length; i += 2) {
            String value = i + 1 < arguments.length ? arguments[i + 1] : "";
            switch (arguments[i]) {
                case "--rounds" -> rounds = number(arguments[i], value);
                case "--seconds" -> seconds = number(arguments[i], value);
                case "--sessions" -> sessions = number(arguments[i], value);
                case "--json" -> json = value;
                default ->
                        throw new IllegalArgumentException(
                                "options: --rounds N, --seconds N, --sessions N, --json FILE; not \""
                                        + arguments[i]
                                        + "\"");
            }
        }
        return new AudioOptions(rounds, seconds, sessions, json);
    }

    static int number(String option, String text) {
        if (!text.matches("[1-9][0-9]{0,5}")) {
            throw new IllegalArgumentException(
                    option + " wants a whole number above 0, not \"" + text + "\"");
        }
        return Integer.parseInt(text);
    }
}
