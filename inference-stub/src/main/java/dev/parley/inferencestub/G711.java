package dev.parley.inferencestub;

/** Companded PCM, ITU-T G.711, by segment arithmetic instead of tables. */
final class G711 {
    private static final int MU_BIAS = 0x84;
    private static final int MU_CLIP = 32_635;
    private static final int MU_INVERSION = 0xFF;
    private static final int A_INVERSION = 0x55;
    private static final int SIGN = 0x80;

    private G711() {}

    static byte encodeMuLaw(short sample) {
        int sign = sample < 0 ? SIGN : 0;
        int magnitude = Math.min(Math.abs((int) sample), MU_CLIP) + MU_BIAS;
        // The segment is where the highest set bit stands, 7 to 14 once biased.
        int segment = 24 - Integer.numberOfLeadingZeros(magnitude);
        int step = (magnitude >> (segment + 3)) & 0x0F;
        return (byte) ((sign | (segment << 4) | step) ^ MU_INVERSION);
    }

    static short decodeMuLaw(byte code) {
        int bits = (code & 0xFF) ^ MU_INVERSION;
        int magnitude = ((((bits & 0x0F) << 3) + MU_BIAS) << ((bits >> 4) & 7)) - MU_BIAS;
        return (short) ((bits & SIGN) != 0 ? -magnitude : magnitude);
    }

    static byte encodeALaw(short sample) {
        int sign = sample < 0 ? 0 : SIGN;
        // One's complement, so that -1 and 0 are the two smallest codes.
        int magnitude = (sample < 0 ? ~sample : sample) >> 3;
        int segment = Math.max(0, 27 - Integer.numberOfLeadingZeros(magnitude));
        int step = (segment < 2 ? magnitude >> 1 : magnitude >> segment) & 0x0F;
        return (byte) ((sign | (segment << 4) | step) ^ A_INVERSION);
    }

    static short decodeALaw(byte code) {
        int bits = (code & 0xFF) ^ A_INVERSION;
        int segment = (bits >> 4) & 7;
        int magnitude = ((bits & 0x0F) << 4) + 8;
        if (segment > 0) {
            magnitude = (magnitude + 0x100) << (segment - 1);
        }
        return (short) ((bits & SIGN) != 0 ? magnitude : -magnitude);
    }
}
