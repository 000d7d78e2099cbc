package dev.parley.transceiver.speech;

/**
 * When speech starts and stops, as an inference service asks for it.
 *
 * @param threshold how likely speech must be, above 0 and below 1
 * @param prefixPaddingMillis by how much earlier than heard speech is said to start
 * @param silenceDurationMillis how long there must be no speech before it has stopped
 */
public record SpeechSettings(float threshold, int prefixPaddingMillis, int silenceDurationMillis) {
    public static final float DEFAULT_THRESHOLD = 0.5f;
    public static final int DEFAULT_PREFIX_PADDING_MILLIS = 300;
    public static final int DEFAULT_SILENCE_DURATION_MILLIS = 500;

    /** Longest of either duration. */
    public static final int MAX_MILLIS = 10_000;

    /** What is used when nothing is asked for. */
    public static final SpeechSettings DEFAULT =
            new SpeechSettings(
                    DEFAULT_THRESHOLD,
                    DEFAULT_PREFIX_PADDING_MILLIS,
                    DEFAULT_SILENCE_DURATION_MILLIS);

    public SpeechSettings {
        if (!(threshold > 0 && threshold < 1)) {
            throw new IllegalArgumentException("threshold must be above 0 and below 1");
        }
        if (prefixPaddingMillis < 0 || prefixPaddingMillis > MAX_MILLIS) {
            throw new IllegalArgumentException("prefix_padding_ms must be from 0 to " + MAX_MILLIS);
        }
        if (silenceDurationMillis < 0 || silenceDurationMillis > MAX_MILLIS) {
            throw new IllegalArgumentException(
                    "silence_duration_ms must be from 0 to " + MAX_MILLIS);
        }
    }
}
