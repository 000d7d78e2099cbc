package dev.parley.e2e.client;

import java.util.Arrays;

/**
 * Tells whether captured audio contains a known reference. The answer depends on no clock and no
 * volume, and allows for a constant delay and for the small cuts and stretches by which a jitter
 * buffer keeps pace.
 *
 * <p>Both signals are brought to 8 kHz. Where the reference lies in the capture is found from their
 * loudness over time. Then each window of half a second of the reference that holds speech is
 * matched by its waveform, sample by sample, near the delay of the window beside it; its score is
 * the normalized cross-correlation there, 1 for the same wave and around 0 for any other. Waveforms
 * match only if pitch, formants and phase do, so other speech scores low however alike its rhythm.
 */
public final class Correlation {
    /**
     * Score from which a capture counts as the reference: half of the windows or more must be this
     * alike. One pass through Opus at 32 kb/s leaves 0.95, two with two jitter buffers 0.88. What
     * must not pass stays below 0.1: another voice, the same speech backwards or in another order,
     * noise, even noise with the loudness of the speech; nor does speech with its sign inverted
     * (0.47). {@code CorrelationTest} holds the figures.
     */
    public static final double SAME_SPEECH = 0.8;

    private static final int RATE_HZ = 8_000;
    private static final int FRAME = RATE_HZ / 100;
    private static final int WINDOW = RATE_HZ / 2;
    private static final int HOP = WINDOW / 2;
    private static final int FIRST_REACH = RATE_HZ / 5;
    private static final int NEXT_REACH = RATE_HZ / 25;

    /**
     * How alike two signals are.
     *
     * @param score median over the windows of the reference that hold speech, -1 to 1
     * @param alike share of those windows that reach {@link #SAME_SPEECH}
     * @param delayMillis how much later the capture has what the reference has, at the loudest
     *     window
     * @param driftMillis between the smallest and the largest delay of windows that are alike
     * @param windows how many windows hold speech
     */
    public record Match(
            double score, double alike, double delayMillis, double driftMillis, int windows) {}

    private final float[] reference;
    private final float[] captured;

    private Correlation(float[] reference, float[] captured) {
        this.reference = reference;
        this.captured = captured;
    }

    /** Looks for the whole reference in the capture. */
    public static Match of(Wav reference, Wav captured) {
        return new Correlation(narrowband(reference), narrowband(captured)).match();
    }

    /**
     * How alike the loudness over time is, -1 to 1, at the best delay. Weaker than {@link #of}, but
     * holds where the waveform is not kept, such as after noise suppression.
     */
    public static double ofEnvelopes(Wav reference, Wav captured) {
        float[] a = envelope(narrowband(reference));
        float[] b = envelope(narrowband(captured));
        return envelopeScore(a, b, envelopeLag(a, b));
    }

    private Match match() {
        float[] envelope = envelope(reference);
        float[] capturedEnvelope = envelope(captured);
        int firstLag = FRAME * envelopeLag(envelope, capturedEnvelope);
        int count = Math.max(0, (reference.length - WINDOW) / HOP + 1);
        double[] powers = new double[count];
        int loudest = 0;
        double total = 0;
        for (int i = 0; i < count; i++) {
            powers[i] = power(reference, i * HOP, WINDOW);
            total += powers[i];
            loudest = powers[i] > powers[loudest] ? i : loudest;
        }
        if (total == 0) {
            return new Match(0, 0, 0, 0, 0);
        }
        // A window holds speech unless it is 13 dB or more below the average.
        double enough = 0.05 * total / count;
        Tracker tracker = new Tracker(count);
        int lag = tracker.measure(loudest, firstLag, FIRST_REACH);
        for (int i = loudest + 1, near = lag; i < count; i++) {
            near = powers[i] < enough ? near : tracker.measure(i, near, NEXT_REACH);
        }
        for (int i = loudest - 1, near = lag; i >= 0; i--) {
            near = powers[i] < enough ? near : tracker.measure(i, near, NEXT_REACH);
        }
        return tracker.result(lag);
    }

    /** Scores windows one after the other and remembers the span of their delays. */
    private final class Tracker {
        private final double[] scores;
        private int measured;
        private int least = Integer.MAX_VALUE;
        private int most = Integer.MIN_VALUE;

        Tracker(int windows) {
            scores = new double[windows];
        }

        /** Answers the delay at which the window fits best, or the one given if none fits. */
        int measure(int window, int near, int reach) {
            double power = power(reference, window * HOP, WINDOW);
            double best = -1;
            int bestLag = near;
            for (int lag = near - reach; lag <= near + reach; lag++) {
                double score = score(window * HOP, power, lag);
                if (score > best) {
                    best = score;
                    bestLag = lag;
                }
            }
            scores[measured++] = best;
            if (best < SAME_SPEECH) {
                return near;
            }
            least = Math.min(least, bestLag);
            most = Math.max(most, bestLag);
            return bestLag;
        }

        Match result(int lag) {
            double[] sorted = Arrays.copyOf(scores, measured);
            Arrays.sort(sorted);
            long alike = Arrays.stream(sorted).filter(score -> score >= SAME_SPEECH).count();
            return new Match(
                    sorted[(measured - 1) / 2],
                    alike / (double) measured,
                    1_000.0 * lag / RATE_HZ,
                    alike == 0 ? 0 : 1_000.0 * (most - least) / RATE_HZ,
                    measured);
        }
    }

    /** What lies outside the capture counts as silence, so that a cut capture scores low. */
    private double score(int start, double powerA, int lag) {
        double cross = 0;
        double powerB = 0;
        int from = Math.max(start, -lag);
        int to = Math.min(start + WINDOW, captured.length - lag);
        for (int i = from; i < to; i++) {
            double b = captured[i + lag];
            cross += reference[i] * b;
            powerB += b * b;
        }
        return powerA == 0 || powerB == 0 ? 0 : cross / Math.sqrt(powerA * powerB);
    }

    private static double power(float[] signal, int from, int length) {
        double sum = 0;
        for (int i = from; i < from + length; i++) {
            sum += signal[i] * signal[i];
        }
        return sum;
    }

    /** Loudness every 10 ms, less its mean. */
    private static float[] envelope(float[] signal) {
        float[] envelope = new float[signal.length / FRAME];
        double mean = 0;
        for (int i = 0; i < envelope.length; i++) {
            envelope[i] = (float) Math.sqrt(power(signal, i * FRAME, FRAME) / FRAME);
            mean += envelope[i] / envelope.length;
        }
        for (int i = 0; i < envelope.length; i++) {
            envelope[i] -= (float) mean;
        }
        return envelope;
    }

    /** The lag in frames at which at least four fifths of the reference lie within the capture. */
    private static int envelopeLag(float[] a, float[] b) {
        int slack = a.length / 5;
        int best = 0;
        double most = -2;
        for (int lag = -slack; lag <= Math.max(0, b.length - a.length + slack); lag++) {
            double score = envelopeScore(a, b, lag);
            if (score > most) {
                most = score;
                best = lag;
            }
        }
        return best;
    }

    private static double envelopeScore(float[] a, float[] b, int lag) {
        double cross = 0;
        double powerA = 0;
        double powerB = 0;
        for (int i = 0; i < a.length; i++) {
            double value = i + lag < 0 || i + lag >= b.length ? 0 : b[i + lag];
            cross += a[i] * value;
            powerA += a[i] * a[i];
            powerB += value * value;
        }
        return powerA == 0 || powerB == 0 ? 0 : cross / Math.sqrt(powerA * powerB);
    }

    /** Low-passes to 3.6 kHz and keeps every n-th sample: 8 kHz. */
    private static float[] narrowband(Wav wav) {
        if (wav.sampleRateHz() % RATE_HZ != 0) {
            throw new IllegalArgumentException(wav.sampleRateHz() + " Hz is no multiple of 8 kHz");
        }
        int factor = wav.sampleRateHz() / RATE_HZ;
        float[] taps = lowPass(3_600.0 / wav.sampleRateHz(), 16 * factor);
        float[] output = new float[wav.samples().length / factor];
        for (int i = 0; i < output.length; i++) {
            double sum = 0;
            for (int k = -16 * factor; k <= 16 * factor; k++) {
                int at = i * factor + k;
                if (at >= 0 && at < wav.samples().length) {
                    sum += taps[k + 16 * factor] * wav.samples()[at];
                }
            }
            output[i] = (float) sum;
        }
        return output;
    }

    private static float[] lowPass(double cutoff, int reach) {
        float[] taps = new float[2 * reach + 1];
        for (int k = -reach; k <= reach; k++) {
            double sinc = k == 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * k) / (Math.PI * k);
            double window = 0.54 + 0.46 * Math.cos(Math.PI * k / (reach + 1));
            taps[k + reach] = (float) (sinc * window);
        }
        return taps;
    }
}
