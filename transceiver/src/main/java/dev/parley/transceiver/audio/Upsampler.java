package dev.parley.transceiver.audio;

import java.util.Arrays;

/**
 * Raises a stream of 8 kHz to a whole multiple of it: a windowed sinc in as many phases as it makes
 * samples of one. Owned by one thread; keeps the filter's memory between calls. Delays by 1 ms.
 */
final class Upsampler {
    /** Samples of the input on either side that one of the output is made of. */
    private static final int REACH = 8;

    /** Kaiser's window: images 60 dB down. */
    private static final double BETA = 5.65;

    /** Of the input's half rate: the filter is down before its images begin. */
    private static final double CUTOFF = 0.94;

    private final int factor;
    private final float[][] phases;
    private final float[] history;

    Upsampler(int factor, int maxInputSamples) {
        this.factor = factor;
        phases = new float[factor][2 * REACH];
        history = new float[2 * REACH + maxInputSamples];
        for (int phase = 0; phase < factor; phase++) {
            double sum = 0;
            for (int i = 0; i < 2 * REACH; i++) {
                double distance = i - (REACH - 1) - (double) phase / factor;
                phases[phase][i] = (float) (sinc(distance * CUTOFF) * kaiser(distance / REACH));
                sum += phases[phase][i];
            }
            for (int i = 0; i < 2 * REACH; i++) {
                phases[phase][i] /= (float) sum;
            }
        }
    }

    private static double sinc(double x) {
        return x == 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
    }

    private static double kaiser(double x) {
        double inside = 1 - x * x;
        return inside <= 0 ? 0 : bessel(BETA * Math.sqrt(inside)) / bessel(BETA);
    }

    /** The modified Bessel function of order 0. */
    private static double bessel(double x) {
        double sum = 1;
        double term = 1;
        for (int k = 1; k < 25; k++) {
            term *= (x / (2 * k)) * (x / (2 * k));
            sum += term;
        }
        return sum;
    }

    /** Answers the samples made. Input and output may not overlap. */
    int raise(short[] input, int samples, short[] output, int outputOffset) {
        if (factor == 1) {
            System.arraycopy(input, 0, output, outputOffset, samples);
            return samples;
        }
        for (int i = 0; i < samples; i++) {
            history[2 * REACH + i] = input[i];
        }
        int at = outputOffset;
        for (int i = 0; i < samples; i++) {
            for (int phase = 0; phase < factor; phase++) {
                float[] taps = phases[phase];
                float sum = 0;
                for (int k = 0; k < 2 * REACH; k++) {
                    sum += taps[k] * history[i + 1 + k];
                }
                output[at++] = Pcm.saturate(Math.round(sum));
            }
        }
        System.arraycopy(history, samples, history, 0, 2 * REACH);
        return samples * factor;
    }

    void reset() {
        Arrays.fill(history, 0);
    }
}
