package dev.parley.transceiver.audio;

import java.util.Arrays;

/**
 * Lowers a stream's rate by a whole factor: a windowed-sinc low-pass, then each nth sample. Owned
 * by one thread; keeps the filter's memory between calls and allocates nothing in them.
 */
final class Decimator {
    /** Samples of the output that the filter reaches to either side: what is steep costs delay. */
    private static final int REACH = 14;

    /** Kaiser's parameter for 70 dB. */
    private static final double BETA = 6.8;

    /** Of the output's half rate: 3.7 kHz at 8 kHz, so that the telephone band stays whole. */
    private static final double CUTOFF = 0.92;

    private final int factor;
    private final float[] taps;
    private final float[] history;

    /**
     * @param factor 1 passes samples through
     */
    Decimator(int factor, int maxInputSamples) {
        this.factor = factor;
        taps = factor == 1 ? new float[] {1} : taps(factor);
        history = new float[taps.length - 1 + maxInputSamples];
    }

    private static float[] taps(int factor) {
        int reach = REACH * factor;
        double[] exact = new double[2 * reach + 1];
        double sum = 0;
        for (int i = 0; i < exact.length; i++) {
            double distance = (double) (i - reach) / factor * CUTOFF;
            double sinc = distance == 0 ? 1 : Math.sin(Math.PI * distance) / (Math.PI * distance);
            double place = (double) (i - reach) / (reach + 1);
            exact[i] = sinc * bessel(BETA * Math.sqrt(1 - place * place));
            sum += exact[i];
        }
        float[] taps = new float[exact.length];
        for (int i = 0; i < taps.length; i++) {
            taps[i] = (float) (exact[i] / sum);
        }
        return taps;
    }

    /** Modified Bessel function of order 0, up to a factor that the sum of the taps cancels. */
    private static double bessel(double x) {
        double term = 1;
        double sum = 1;
        for (int k = 1; k < 30; k++) {
            term *= (x / (2 * k)) * (x / (2 * k));
            sum += term;
        }
        return sum;
    }

    /**
     * Takes samples, as many as are a multiple of the factor, and answers how many it made.
     *
     * @param output takes them from its start
     */
    int decimate(short[] input, int offset, int samples, short[] output) {
        int memory = taps.length - 1;
        for (int i = 0; i < samples; i++) {
            history[memory + i] = input[offset + i];
        }
        int made = samples / factor;
        for (int i = 0; i < made; i++) {
            float sum = 0;
            int from = i * factor;
            for (int k = 0; k < taps.length; k++) {
                sum += taps[k] * history[from + k];
            }
            output[i] = Pcm.saturate(Math.round(sum));
        }
        System.arraycopy(history, samples, history, 0, memory);
        return made;
    }

    void reset() {
        Arrays.fill(history, 0);
    }
}
