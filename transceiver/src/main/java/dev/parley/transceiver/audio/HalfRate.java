package dev.parley.transceiver.audio;

import java.util.Arrays;

/**
 * Halves the sample rate of a stream: a half-band low-pass, then every other sample. Owned by one
 * thread; keeps the filter's memory between calls.
 */
final class HalfRate {
    // Hamming-windowed half-band filter of 31 taps: every other tap but the middle one is 0, so
    // only the odd distances are kept. Delay: 15 samples of the input.
    private static final int REACH = 15;
    private static final float[] TAPS = taps();

    private final float[] history;

    HalfRate(int maxInputSamples) {
        history = new float[2 * REACH + maxInputSamples];
    }

    private static float[] taps() {
        float[] taps = new float[(REACH + 1) / 2];
        double sum = 0;
        for (int i = 0; i < taps.length; i++) {
            int distance = 2 * i + 1;
            double sinc = Math.sin(Math.PI * distance / 2) / (Math.PI * distance);
            double window = 0.54 + 0.46 * Math.cos(Math.PI * distance / (REACH + 1));
            taps[i] = (float) (sinc * window);
            sum += 2 * taps[i];
        }
        // The middle tap is 0.5; the others share the other half, so that DC passes as it is.
        for (int i = 0; i < taps.length; i++) {
            taps[i] *= (float) (0.5 / sum);
        }
        return taps;
    }

    /** Answers the samples made: half of {@code samples}, which is even. */
    int halve(short[] input, int samples, short[] output, int outputOffset) {
        for (int i = 0; i < samples; i++) {
            history[2 * REACH + i] = input[i];
        }
        for (int i = 0; i < samples / 2; i++) {
            int middle = REACH + 2 * i;
            float sum = 0.5f * history[middle];
            for (int k = 0; k < TAPS.length; k++) {
                int distance = 2 * k + 1;
                sum += TAPS[k] * (history[middle - distance] + history[middle + distance]);
            }
            output[outputOffset + i] = Pcm.saturate(Math.round(sum));
        }
        System.arraycopy(history, samples, history, 0, 2 * REACH);
        return samples / 2;
    }

    void reset() {
        Arrays.fill(history, 0);
    }
}
