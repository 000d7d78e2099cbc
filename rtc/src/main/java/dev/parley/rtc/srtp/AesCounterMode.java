package dev.parley.rtc.srtp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * The AES counter mode keystream of RFC 3711 4.1.1 for one key. Encrypts a row of counter blocks
 * with the block cipher itself: {@code AES/CTR} would want a new {@code init} with a new parameter
 * object for each packet, this allocates nothing. One thread only.
 */
final class AesCounterMode {
    private static final int BLOCK_LENGTH = 16;

    private final Cipher aes;
    private final byte[] counters = new byte[SrtpPackets.MAX_LENGTH];
    private final ByteBuffer counterWords = ByteBuffer.wrap(counters);
    private final byte[] keystream = new byte[SrtpPackets.MAX_LENGTH];

    // The block cipher alone makes the keystream here; no data is encrypted in ECB mode.
    @SuppressWarnings("InsecureCryptoUsage")
    AesCounterMode(byte[] key) {
        try {
            aes = Cipher.getInstance("AES/ECB/NoPadding");
            aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This JDK lacks AES", e);
        }
    }

    /**
     * XORs {@code length} bytes of {@code bytes} with the keystream that starts at the given
     * 128-bit counter, whose low 16 bits must be zero: they count the blocks.
     */
    void xorKeystream(byte[] bytes, int offset, int length, long ivHigh, long ivLow) {
        int blockBytes = (length + BLOCK_LENGTH - 1) & -BLOCK_LENGTH;
        for (int at = 0, block = 0; at < blockBytes; at += BLOCK_LENGTH, block++) {
            counterWords.putLong(at, ivHigh);
            counterWords.putLong(at + Long.BYTES, ivLow | block);
        }
        try {
            aes.update(counters, 0, blockBytes, keystream, 0);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The keystream fits its buffer", e);
        }
        for (int i = 0; i < length; i++) {
            bytes[offset + i] ^= keystream[i];
        }
    }
}
