package dev.parley.transceiver.speech;

import java.util.Arrays;

/**
 * Silero VAD: how likely each 32 ms of a stream hold speech. The network is run here and not by a
 * general runtime, which would weigh a hundred times as much as it. Owned by one thread; allocates
 * nothing after construction.
 */
public final class SileroVad {
    /** Rate of the audio. */
    public static final int RATE_HZ = 16_000;

    /** Samples of one chunk, 32 ms. */
    public static final int CHUNK = 512;

    /** Samples of the chunk before that the network sees again. */
    private static final int CONTEXT = 64;

    private static final int WINDOW = 256;
    private static final int HOP = 128;
    private static final int FRAMES = 4;
    private static final int BINS = SileroNetwork.BINS;
    private static final int UNITS = SileroNetwork.UNITS;
    private static final float FULL_SCALE = 32_768f;
    private static final float[] HANN = hann();

    private final SileroNetwork network = SileroNetwork.shared();
    private final Fourier fourier = new Fourier(WINDOW);
    private final float[] samples = new float[CONTEXT + CHUNK + CONTEXT];
    private final float[] real = new float[WINDOW];
    private final float[] imaginary = new float[WINDOW];
    private final float[] from = new float[FRAMES * BINS];
    private final float[] to = new float[FRAMES * BINS];
    private final float[] gates = new float[4 * UNITS];
    private final float[] hidden = new float[UNITS];
    private final float[] cell = new float[UNITS];

    private static float[] hann() {
        float[] window = new float[WINDOW];
        for (int i = 0; i < WINDOW; i++) {
            window[i] = (float) Math.pow(Math.sin(Math.PI * i / WINDOW), 2);
        }
        return window;
    }

    /** Takes the next {@link #CHUNK} samples; answers how likely they hold speech, 0 to 1. */
    public float probability(short[] pcm, int offset) {
        System.arraycopy(samples, CHUNK, samples, 0, CONTEXT);
        for (int i = 0; i < CHUNK; i++) {
            samples[CONTEXT + i] = pcm[offset + i] / FULL_SCALE;
        }
        int last = CONTEXT + CHUNK - 1;
        for (int i = 1; i <= CONTEXT; i++) {
            samples[last + i] = samples[last - i];
        }
        spectra();
        int frames = FRAMES;
        for (SileroNetwork.Convolution layer : network.encoder) {
            frames = convolve(layer, frames);
            System.arraycopy(to, 0, from, 0, frames * layer.outputs());
        }
        return remember();
    }

    /** Magnitudes of all frames, two frames in one complex transform. */
    private void spectra() {
        for (int frame = 0; frame < FRAMES; frame += 2) {
            for (int i = 0; i < WINDOW; i++) {
                real[i] = samples[frame * HOP + i] * HANN[i];
                imaginary[i] = samples[(frame + 1) * HOP + i] * HANN[i];
            }
            fourier.transform(real, imaginary);
            for (int bin = 0; bin < BINS; bin++) {
                int mirror = -bin & (WINDOW - 1);
                // The even part of the transform is the first frame's, the odd the second's.
                float evenReal = real[bin] + real[mirror];
                float evenImaginary = imaginary[bin] - imaginary[mirror];
                float oddReal = imaginary[bin] + imaginary[mirror];
                float oddImaginary = real[mirror] - real[bin];
                from[frame * BINS + bin] = magnitude(evenReal, evenImaginary);
                from[(frame + 1) * BINS + bin] = magnitude(oddReal, oddImaginary);
            }
        }
    }

    private static float magnitude(float a, float b) {
        return (float) Math.sqrt(a * a + b * b) / 2;
    }

    /** One layer over {@link #from} into {@link #to}; answers the frames made. */
    private int convolve(SileroNetwork.Convolution layer, int frames) {
        int made = (frames + layer.stride() - 1) / layer.stride();
        int outputs = layer.outputs();
        for (int frame = 0; frame < made; frame++) {
            System.arraycopy(layer.bias(), 0, to, frame * outputs, outputs);
        }
        for (int tap = 0; tap < 3; tap++) {
            for (int frame = 0; frame < made; frame++) {
                int source = frame * layer.stride() + tap - 1;
                if (source >= 0 && source < frames) {
                    addAll(layer, tap, source, frame);
                }
            }
        }
        for (int i = 0; i < made * outputs; i++) {
            to[i] = Math.max(to[i], 0);
        }
        return made;
    }

    private void addAll(SileroNetwork.Convolution layer, int tap, int source, int frame) {
        int inputs = layer.inputs();
        int outputs = layer.outputs();
        for (int input = 0; input < inputs; input++) {
            float value = from[source * inputs + input];
            int row = (tap * inputs + input) * outputs;
            add(to, frame * outputs, layer.weights(), row, value, outputs);
        }
    }

    /** The inner loop, in the form that the compiler turns into vector instructions. */
    private static void add(
            float[] sum, int sumAt, float[] weights, int row, float value, int count) {
        if (value == 0) {
            return;
        }
        for (int i = 0; i < count; i++) {
            sum[sumAt + i] += value * weights[row + i];
        }
    }

    /** The long short-term memory, and what it makes of the chunk. */
    private float remember() {
        System.arraycopy(network.gateBias, 0, gates, 0, gates.length);
        for (int unit = 0; unit < UNITS; unit++) {
            int row = unit * gates.length;
            add(gates, 0, network.gateInput, row, from[unit], gates.length);
            add(gates, 0, network.gateRecurrent, row, hidden[unit], gates.length);
        }
        float sum = network.decoderBias;
        for (int unit = 0; unit < UNITS; unit++) {
            float admitted = sigmoid(gates[unit]) * tanh(gates[2 * UNITS + unit]);
            cell[unit] = sigmoid(gates[UNITS + unit]) * cell[unit] + admitted;
            hidden[unit] = sigmoid(gates[3 * UNITS + unit]) * tanh(cell[unit]);
            sum += Math.max(hidden[unit], 0) * network.decoder[unit];
        }
        return sigmoid(sum);
    }

    private static float sigmoid(float x) {
        return (float) (1 / (1 + Math.exp(-x)));
    }

    private static float tanh(float x) {
        return (float) (2 / (1 + Math.exp(-2.0 * x)) - 1);
    }

    /** Forgets the stream so far. */
    public void reset() {
        Arrays.fill(samples, 0);
        Arrays.fill(hidden, 0);
        Arrays.fill(cell, 0);
    }
}
