package dev.parley.transceiver.audio;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Mono 16-bit samples to and from little-endian bytes, and their level. Allocates nothing. */
public final class Pcm {
    /** Level of digital silence, and the lowest that RFC 6464 can say. */
    public static final int SILENCE_DBOV = -127;

    private Pcm() {}

    /** The nearest 16-bit sample. */
    static short saturate(int value) {
        return (short) Math.clamp(value, Short.MIN_VALUE, Short.MAX_VALUE);
    }

    /**
     * Writes samples as signed 16-bit little-endian, two bytes each.
     *
     * @return bytes written
     */
    public static int writeS16le(
            short[] pcm, int pcmOffset, int samples, byte[] bytes, int offset) {
        for (int i = 0, at = offset; i < samples; i++, at += 2) {
            short sample = pcm[pcmOffset + i];
            bytes[at] = (byte) sample;
            bytes[at + 1] = (byte) (sample >> 8);
        }
        return samples * 2;
    }

    /** Reads {@code samples} signed 16-bit little-endian samples. */
    public static void readS16le(
            ByteBuffer bytes, int offset, short[] pcm, int pcmOffset, int samples) {
        boolean swap = bytes.order() == ByteOrder.BIG_ENDIAN;
        for (int i = 0; i < samples; i++) {
            short sample = bytes.getShort(offset + 2 * i);
            pcm[pcmOffset + i] = swap ? Short.reverseBytes(sample) : sample;
        }
    }

    /**
     * Level in dBov, -127 (silence) to 0 (overload), as in RFC 6464; computed as in RFC 6465,
     * appendix A. A full-scale sine has -3.
     */
    public static int levelDbov(short[] pcm, int offset, int samples) {
        double sum = 0;
        for (int i = offset; i < offset + samples; i++) {
            double sample = pcm[i] / (double) Short.MAX_VALUE;
            sum += sample * sample;
        }
        if (samples == 0 || sum == 0) {
            return SILENCE_DBOV;
        }
        long level = Math.round(10 * Math.log10(sum / samples));
        return Math.clamp(level, SILENCE_DBOV, 0);
    }
}
