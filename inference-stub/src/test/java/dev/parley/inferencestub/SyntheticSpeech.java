package dev.parley.inferencestub;

import java.util.Random;

/**
 * Makes sound that has the energy of speech: voiced syllables of 180 ms with gaps of 70 ms. All at
 * one rate, into one timeline.
 */
final class SyntheticSpeech {
    private static final double PITCH_HZ = 120;
    private static final int HARMONICS = 12;
    private static final double SYLLABLE_SECONDS = 0.18;
    private static final double PERIOD_SECONDS = 0.25;

    private final int rateHz;
    private final double[] timeline;

    SyntheticSpeech(int rateHz, double seconds) {
        this.rateHz = rateHz;
        this.timeline = new double[(int) (rateHz * seconds)];
    }

    int at(double seconds) {
        return (int) (rateHz * seconds);
    }

    SyntheticSpeech speech(double fromSeconds, double toSeconds, double peakDbfs) {
        double peak = Math.pow(10, peakDbfs / 20);
        for (int i = at(fromSeconds); i < at(toSeconds); i++) {
            double seconds = (double) (i - at(fromSeconds)) / rateHz;
            double inSyllable = seconds % PERIOD_SECONDS / SYLLABLE_SECONDS;
            double envelope = inSyllable < 1 ? Math.sqrt(Math.sin(Math.PI * inSyllable)) : 0;
            double voice = 0;
            for (int harmonic = 1; harmonic <= HARMONICS; harmonic++) {
                voice += Math.sin(2 * Math.PI * PITCH_HZ * harmonic * seconds) / harmonic;
            }
            timeline[i] += peak * envelope * voice / 2;
        }
        return this;
    }

    SyntheticSpeech noise(double fromSeconds, double toSeconds, double rmsDbfs, long seed) {
        double rms = Math.pow(10, rmsDbfs / 20);
        Random random = new Random(seed);
        for (int i = at(fromSeconds); i < at(toSeconds); i++) {
            timeline[i] += rms * random.nextGaussian();
        }
        return this;
    }

    short[] samples() {
        short[] samples = new short[timeline.length];
        for (int i = 0; i < samples.length; i++) {
            double scaled = Math.rint(timeline[i] * Short.MAX_VALUE);
            samples[i] = (short) Math.clamp(scaled, Short.MIN_VALUE, Short.MAX_VALUE);
        }
        return samples;
    }

    /** Where {@code part} stands in {@code whole}, or -1. */
    static int find(short[] part, short[] whole) {
        for (int at = 0; at + part.length <= whole.length; at++) {
            int same = 0;
            while (same < part.length && part[same] == whole[at + same]) {
                same++;
            }
            if (same == part.length) {
                return at;
            }
        }
        return -1;
    }
}
