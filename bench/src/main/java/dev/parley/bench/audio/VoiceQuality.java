package dev.parley.bench.audio;

/**
 * How much of a voice is left, against the original: frequency-weighted segmental signal-to-noise
 * ratio (Hu and Loizou, 2008: of the simple measures the one closest to what listeners say) over 25
 * mel bands, and the log-spectral distance over the same bands. Pauses of the original are left
 * out.
 */
public final class VoiceQuality {
    /**
     * What is left.
     *
     * @param weightedSnrDb more is better, 35 at most
     * @param distanceDb less is better
     */
    public record Figures(double weightedSnrDb, double distanceDb) {}

    private static final int BANDS = 25;
    // Frames below -44 dBov are pauses.
    private static final double SPEECH_RMS = 200;

    private final short[] voice;
    private final int rateHz;
    private final int window;
    private final double[][] bands;
    private final double[] cosines;

    /**
     * @param voice the original
     */
    public VoiceQuality(short[] voice, int rateHz) {
        this.voice = voice;
        this.rateHz = rateHz;
        window = rateHz / 40;
        bands = melBands();
        cosines = new double[window];
        for (int i = 0; i < window; i++) {
            cosines[i] = Math.cos(2 * Math.PI * i / window);
        }
    }

    /** The codec's own delay in samples, less than 20 ms: where both are most alike. */
    public int delay(short[] heard) {
        int best = 0;
        double most = -1;
        for (int lag = 0; lag < rateHz / 50; lag++) {
            double sum = 0;
            for (int i = 0; i < voice.length - rateHz / 50; i++) {
                sum += (double) voice[i] * heard[i + lag];
            }
            if (sum > most) {
                most = sum;
                best = lag;
            }
        }
        return best;
    }

    /**
     * Compares.
     *
     * @param samples of {@code heard} that count
     * @param delay by which it is behind the original
     */
    public Figures compare(short[] heard, int samples, int delay) {
        double signalToNoise = 0;
        double distance = 0;
        int frames = 0;
        for (int at = 0; at + delay + window < samples; at += window / 4) {
            if (rms(at) < SPEECH_RMS) {
                continue;
            }
            double[] clean = spectrum(voice, at);
            double[] coded = spectrum(heard, at + delay);
            double weights = 0;
            double weighted = 0;
            double square = 0;
            for (int band = 0; band < BANDS; band++) {
                double noise = Math.pow(clean[band] - coded[band], 2) + 1e-9;
                double ratio = 10 * Math.log10(Math.pow(clean[band], 2) / noise);
                double weight = Math.pow(clean[band], 0.2);
                weights += weight;
                weighted += weight * Math.clamp(ratio, -10, 35);
                // 50: what lies below nobody hears.
                square += Math.pow(20 * Math.log10((clean[band] + 50) / (coded[band] + 50)), 2);
            }
            signalToNoise += weighted / weights;
            distance += Math.sqrt(square / BANDS);
            frames++;
        }
        return new Figures(signalToNoise / frames, distance / frames);
    }

    private double rms(int at) {
        double sum = 0;
        for (int i = at; i < at + window; i++) {
            sum += (double) voice[i] * voice[i];
        }
        return Math.sqrt(sum / window);
    }

    private double[] spectrum(short[] samples, int at) {
        double[] result = new double[BANDS];
        double[] windowed = new double[window];
        for (int i = 0; i < window; i++) {
            windowed[i] = (0.5 - 0.5 * cosines[i]) * samples[at + i];
        }
        for (int bin = 0; bin <= window / 2; bin++) {
            double real = 0;
            double imaginary = 0;
            for (int i = 0; i < window; i++) {
                int angle = bin * i % window;
                real += windowed[i] * cosines[angle];
                // The sine is the cosine a quarter turn earlier.
                imaginary += windowed[i] * cosines[(angle + 3 * window / 4) % window];
            }
            double magnitude = Math.hypot(real, imaginary);
            for (int band = 0; band < BANDS; band++) {
                result[band] += bands[band][bin] * magnitude;
            }
        }
        return result;
    }

    /** Triangles of equal width on the mel scale, from 50 Hz to just below half the rate. */
    private double[][] melBands() {
        double low = mel(50);
        double step = (mel(0.46 * rateHz) - low) / (BANDS + 1);
        double[][] triangles = new double[BANDS][window / 2 + 1];
        for (int band = 0; band < BANDS; band++) {
            for (int bin = 0; bin <= window / 2; bin++) {
                double place = (mel((double) bin * rateHz / window) - low) / step - band;
                triangles[band][bin] = Math.max(0, 1 - Math.abs(place - 1));
            }
        }
        return triangles;
    }

    private static double mel(double hertz) {
        return 2_595 * Math.log10(1 + hertz / 700);
    }
}
