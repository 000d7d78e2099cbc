package dev.parley.e2e.client;

/** Known speech for the tests; how it was made stands in {@code speech/README.md}. */
public final class SpeechSample {
    private SpeechSample() {}

    /** Three sentences with pauses, 7.8 s at 16 kHz: what callers say. */
    public static Wav caller() {
        return Wav.resource("/speech/caller.wav");
    }

    /** Another voice saying something else, 7.7 s at 8 kHz: what must not be taken for it. */
    public static Wav stranger() {
        return Wav.resource("/speech/stranger.wav");
    }
}
