package dev.parley.rtc.srtp;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * HMAC-SHA1, RFC 2104, for one key. {@code javax.crypto.Mac} allocates its result for each packet;
 * this writes into an array of its own. One thread only.
 */
final class HmacSha1 {
    static final int KEY_LENGTH = 20;

    private static final int DIGEST_LENGTH = 20;
    private static final int BLOCK_LENGTH = 64;

    private final MessageDigest sha1;
    private final byte[] innerPad;
    private final byte[] outerPad;
    private final byte[] digest = new byte[DIGEST_LENGTH];

    /**
     * @param key at most 64 bytes
     */
    HmacSha1(byte[] key) {
        try {
            sha1 = MessageDigest.getInstance("SHA-1");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This JDK lacks SHA-1", e);
        }
        innerPad = pad(key, 0x36);
        outerPad = pad(key, 0x5c);
    }

    /**
     * The HMAC of the first {@code length} bytes of {@code bytes}, in an array that the next call
     * overwrites.
     */
    byte[] of(byte[] bytes, int length) {
        try {
            sha1.update(innerPad);
            sha1.update(bytes, 0, length);
            sha1.digest(digest, 0, DIGEST_LENGTH);
            sha1.update(outerPad);
            sha1.update(digest);
            sha1.digest(digest, 0, DIGEST_LENGTH);
            return digest;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The digest fits its buffer", e);
        }
    }

    private static byte[] pad(byte[] key, int value) {
        byte[] pad = Arrays.copyOf(key, BLOCK_LENGTH);
        for (int i = 0; i < BLOCK_LENGTH; i++) {
            pad[i] ^= (byte) value;
        }
        return pad;
    }
}
