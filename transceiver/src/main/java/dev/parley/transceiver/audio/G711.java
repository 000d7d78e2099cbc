package dev.parley.transceiver.audio;

import java.util.function.IntUnaryOperator;

/**
 * One of the two laws of ITU-T G.711: one byte per sample at 8 kHz. Table-driven, allocates
 * nothing, any thread may use it.
 */
public final class G711 {
    private static final int MU_BIAS = 132;
    private static final int MU_CLIP = 32_635;

    /** North America and Japan. */
    public static final G711 MULAW = new G711(G711::expandMulaw, G711::compressMulaw);

    /** Everywhere else. */
    public static final G711 ALAW = new G711(G711::expandAlaw, G711::compressAlaw);

    private final short[] expanded = new short[256];
    // By magnitude without its lowest two bits: the finer law looks at 14 bits with sign.
    private final byte[] compressed = new byte[1 << 13];

    private G711(IntUnaryOperator expand, IntUnaryOperator compress) {
        for (int code = 0; code < expanded.length; code++) {
            expanded[code] = (short) expand.applyAsInt(code);
        }
        for (int i = 0; i < compressed.length; i++) {
            compressed[i] = (byte) compress.applyAsInt(i << 2);
        }
    }

    public short decode(byte code) {
        return expanded[code & 0xFF];
    }

    public byte encode(short sample) {
        // In both laws the sign is the first bit, set for positive. Negative samples are mirrored
        // around -0.5, so that -32,768 has a magnitude too.
        return sample < 0 ? (byte) (compressed[~sample >> 2] & 0x7F) : compressed[sample >> 2];
    }

    private static int expandMulaw(int code) {
        // G.711 table 2: all bits inverted; sign, 3 bits of segment, 4 bits of step.
        int bits = ~code & 0xFF;
        int magnitude = ((((bits & 0x0F) << 3) + MU_BIAS) << ((bits >> 4) & 7)) - MU_BIAS;
        return (bits & 0x80) != 0 ? -magnitude : magnitude;
    }

    private static int compressMulaw(int magnitude) {
        int biased = Math.min(magnitude, MU_CLIP) + MU_BIAS;
        // Segment: position of the highest bit above the bias' own.
        int segment = 24 - Integer.numberOfLeadingZeros(biased);
        int step = (biased >> (segment + 3)) & 0x0F;
        return ~((segment << 4) | step);
    }

    private static int expandAlaw(int code) {
        // G.711 table 1: even bits inverted; sign, 3 bits of segment, 4 bits of step.
        int bits = code ^ 0x55;
        int segment = (bits >> 4) & 7;
        int step = (bits & 0x0F) << 4;
        int magnitude = segment == 0 ? step + 8 : (step + 0x108) << (segment - 1);
        return (bits & 0x80) != 0 ? magnitude : -magnitude;
    }

    private static int compressAlaw(int magnitude) {
        int segment = Math.max(0, 24 - Integer.numberOfLeadingZeros(magnitude));
        int step = (magnitude >> (segment == 0 ? 4 : segment + 3)) & 0x0F;
        return (0x80 | (segment << 4) | step) ^ 0x55;
    }
}
