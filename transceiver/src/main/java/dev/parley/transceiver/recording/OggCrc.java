package dev.parley.transceiver.recording;

/**
 * The checksum of an Ogg page, RFC 3533 6: CRC-32 unreflected, from zero and without a final
 * inversion.
 */
final class OggCrc {
    private static final int POLYNOMIAL = 0x04C1_1DB7;
    private static final int[] TABLE = new int[256];

    static {
        for (int i = 0; i < TABLE.length; i++) {
            int remainder = i << 24;
            for (int bit = 0; bit < 8; bit++) {
                remainder = remainder << 1 ^ (remainder < 0 ? POLYNOMIAL : 0);
            }
            TABLE[i] = remainder;
        }
    }

    private OggCrc() {}

    /** Of a page whose checksum field is zero. */
    static int of(byte[] page) {
        int crc = 0;
        for (byte each : page) {
            crc = crc << 8 ^ TABLE[(crc >>> 24 ^ each) & 0xFF];
        }
        return crc;
    }
}
