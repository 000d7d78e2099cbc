package dev.parley.e2e.client;

import java.util.Arrays;

/** Known speech for the tests; how it was made stands in {@code speech/README.md}. */
public final class SpeechSample {
    private static final int QUIET = 300;
    private static final double PAUSE_SECONDS = 0.4;

    private SpeechSample() {}

    /** Three sentences with pauses, 7.8 s at 16 kHz: what callers say. */
    public static Wav caller() {
        return Wav.resource("/speech/caller.wav");
    }

    /** The first sentence of {@link #caller}, up to its pause. */
    public static Wav sentence() {
        Wav all = caller();
        int quiet = 0;
        boolean spoken = false;
        for (int i = 0; i < all.samples().length; i++) {
            quiet = Math.abs(all.samples()[i]) < QUIET ? quiet + 1 : 0;
            spoken |= i > 0 && quiet == 0;
            if (spoken && quiet > all.sampleRateHz() * PAUSE_SECONDS) {
                return new Wav(all.sampleRateHz(), Arrays.copyOf(all.samples(), i));
            }
        }
        throw new IllegalStateException("the sample has no pause");
    }

    /** Another voice saying something else, 7.7 s at 8 kHz: what must not be taken for it. */
    public static Wav stranger() {
        return Wav.resource("/speech/stranger.wav");
    }
}
