package dev.parley.e2e.drill;

import dev.parley.e2e.client.Wav;
import java.time.Duration;

/** What drills say, and how long nothing of it was heard. */
final class Sound {
    private static final int RATE_HZ = 16_000;
    private static final int WINDOW_MILLIS = 10;
    private static final int AUDIBLE = 500;

    private Sound() {}

    static Wav tone(Duration length) {
        short[] samples = new short[(int) (length.toMillis() * RATE_HZ / 1_000)];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (short) (8_000 * Math.sin(2 * Math.PI * 440 * i / RATE_HZ));
        }
        return new Wav(RATE_HZ, samples);
    }

    /** The longest time, in milliseconds, in which nothing can be heard from a sample on. */
    static double silence(Wav heard, int from) {
        short[] samples = heard.samples();
        int window = heard.sampleRateHz() * WINDOW_MILLIS / 1_000;
        int longest = 0;
        int silent = 0;
        for (int at = from; at + window <= samples.length; at += window) {
            int peak = 0;
            for (int i = at; i < at + window; i++) {
                peak = Math.max(peak, Math.abs(samples[i]));
            }
            silent = peak < AUDIBLE ? silent + 1 : 0;
            longest = Math.max(longest, silent);
        }
        return longest * WINDOW_MILLIS;
    }
}
