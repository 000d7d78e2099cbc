package dev.parley.transceiver.audio;

import java.util.Random;

/** Known signals, and how alike a decoded one is to what was encoded. */
final class TestSignal {
    private TestSignal() {}

    /**
     * Something like a voice: harmonics of a pitch that glides from 110 to 170 Hz,
     * formant-weighted, in syllables of a quarter of a second, with a little noise. No part of it
     * repeats.
     */
    static short[] voice(int sampleRateHz, int millis) {
        short[] pcm = new short[sampleRateHz / 1000 * millis];
        Random noise = new Random(7);
        double phase = 0;
        for (int i = 0; i < pcm.length; i++) {
            double seconds = i / (double) sampleRateHz;
            double pitch = 140 + 30 * Math.sin(2 * Math.PI * 0.7 * seconds);
            phase += 2 * Math.PI * pitch / sampleRateHz;
            double sum = 0;
            for (int harmonic = 1; harmonic * pitch < 3_400; harmonic++) {
                double hertz = harmonic * pitch;
                double formants =
                        bell(hertz, 600 + 250 * Math.sin(3 * seconds), 200)
                                + 0.6 * bell(hertz, 1_500 + 400 * Math.cos(2 * seconds), 300);
                sum += (formants + 0.02) * Math.sin(harmonic * phase);
            }
            double syllable = Math.pow(Math.sin(Math.PI * 4 * seconds), 2);
            pcm[i] = (short) (2_500 * syllable * sum + 10 * noise.nextGaussian());
        }
        return pcm;
    }

    private static double bell(double x, double centre, double width) {
        return Math.exp(-Math.pow((x - centre) / width, 2));
    }

    static short[] sine(int sampleRateHz, double hertz, double amplitude, int samples) {
        short[] pcm = new short[samples];
        for (int i = 0; i < samples; i++) {
            pcm[i] =
                    (short)
                            Math.round(
                                    amplitude * Math.sin(2 * Math.PI * hertz * i / sampleRateHz));
        }
        return pcm;
    }

    /** Normalized correlation of {@code a} and of {@code b} moved {@code lag} samples earlier. */
    static double correlation(short[] a, short[] b, int from, int to, int lag) {
        double cross = 0;
        double powerA = 0;
        double powerB = 0;
        for (int i = from; i < to; i++) {
            cross += (double) a[i] * b[i + lag];
            powerA += (double) a[i] * a[i];
            powerB += (double) b[i + lag] * b[i + lag];
        }
        return powerA == 0 || powerB == 0 ? 0 : cross / Math.sqrt(powerA * powerB);
    }

    /** The lag from 0 to {@code maxLag} at which both are most alike. */
    static int bestLag(short[] sent, short[] heard, int maxLag) {
        int best = 0;
        int to = Math.min(sent.length, heard.length) - maxLag;
        double most = -1;
        for (int lag = 0; lag <= maxLag; lag++) {
            double value = correlation(sent, heard, 0, to, lag);
            if (value > most) {
                most = value;
                best = lag;
            }
        }
        return best;
    }
}
