package dev.parley.transceiver.speech;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * The weights of Silero VAD version 6 for 16 kHz (MIT licence), read once per process. Immutable;
 * shared by all {@link SileroVad}. {@code silero-vad.md} beside them says where they come from.
 */
final class SileroNetwork {
    /** Values of one frame that a layer takes and makes, its reach being one frame on each side. */
    @SuppressWarnings("ArrayRecordComponent") // Read in the inner loop, compared by no one.
    record Convolution(int inputs, int outputs, int stride, float[] bias, float[] weights) {}

    static final int BINS = 129;
    static final int UNITS = 128;

    /** Frames per second fall by the strides, from 4 of a chunk to 1. */
    final Convolution[] encoder;

    /** Gates input, forget, cell, output of all units; by input, then by unit's last value. */
    final float[] gateBias;

    final float[] gateInput;
    final float[] gateRecurrent;
    final float[] decoder;
    final float decoderBias;

    private SileroNetwork(FloatBuffer values) {
        encoder =
                new Convolution[] {
                    convolution(values, BINS, 128, 1),
                    convolution(values, 128, 64, 2),
                    convolution(values, 64, 64, 2),
                    convolution(values, 64, UNITS, 1)
                };
        gateBias = floats(values, 4 * UNITS);
        gateInput = floats(values, UNITS * 4 * UNITS);
        gateRecurrent = floats(values, UNITS * 4 * UNITS);
        decoder = floats(values, UNITS);
        decoderBias = values.get();
        if (values.hasRemaining()) {
            throw new IllegalStateException("weights of another network");
        }
    }

    private static Convolution convolution(
            FloatBuffer values, int inputs, int outputs, int stride) {
        float[] bias = floats(values, outputs);
        return new Convolution(inputs, outputs, stride, bias, floats(values, 3 * inputs * outputs));
    }

    private static float[] floats(FloatBuffer values, int count) {
        float[] result = new float[count];
        values.get(result);
        return result;
    }

    /** The one of this process. */
    static SileroNetwork shared() {
        return Shared.NETWORK;
    }

    private static SileroNetwork read() {
        try (InputStream in = SileroNetwork.class.getResourceAsStream("silero-vad-v6-16khz.f32")) {
            if (in == null) {
                throw new IllegalStateException("the detector's weights are not in this build");
            }
            ByteBuffer bytes = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
            return new SileroNetwork(bytes.asFloatBuffer());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Shared {
        private static final SileroNetwork NETWORK = read();

        private Shared() {}
    }
}
