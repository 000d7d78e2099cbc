package dev.parley.rtc.srtp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * AES-128-GCM under one session key and salt, for one thread. The JDK wants a new {@code init} for
 * each packet and makes its GHASH and counter state anew there; that is all the garbage SRTP makes
 * here. A tag that does not match reaches us as an exception, which is caught at once.
 */
final class AesGcm {
    private static final int IV_LENGTH = 12;
    private static final int TAG_BITS = 8 * SrtpProfile.AEAD_AES_128_GCM.tagLength();

    private final Cipher cipher;
    private final SecretKeySpec key;
    private final long saltHigh;
    private final int saltLow;
    private final byte[] iv = new byte[IV_LENGTH];
    private final ByteBuffer ivWords = ByteBuffer.wrap(iv);

    // Deciphering within one array keeps the JDK from its fastest code, so the text goes here
    // first.
    private final byte[] opened = new byte[SrtpPackets.MAX_LENGTH];

    AesGcm(byte[] sessionKey, byte[] sessionSalt) {
        try {
            cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This JDK lacks AES-GCM", e);
        }
        key = new SecretKeySpec(sessionKey, "AES");
        ByteBuffer salt = ByteBuffer.wrap(sessionSalt);
        saltHigh = salt.getLong(0);
        saltLow = salt.getInt(Long.BYTES);
    }

    void beginSealing(int ssrc, long index) {
        begin(Cipher.ENCRYPT_MODE, ssrc, index);
    }

    void beginOpening(int ssrc, long index) {
        begin(Cipher.DECRYPT_MODE, ssrc, index);
    }

    /** Adds associated data: authenticated, not encrypted. */
    void authenticate(byte[] bytes, int offset, int length) {
        cipher.updateAAD(bytes, offset, length);
    }

    /** Encrypts in place and appends the tag; answers the length with the tag. */
    int seal(byte[] bytes, int offset, int length) {
        try {
            return cipher.doFinal(bytes, offset, length, bytes, offset);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Text and tag fit their buffer", e);
        }
    }

    /** Verifies and decrypts in place; answers the length without the tag, or a verdict's code. */
    int open(byte[] bytes, int offset, int length) {
        try {
            int plainLength = cipher.doFinal(bytes, offset, length, opened, 0);
            System.arraycopy(opened, 0, bytes, offset, plainLength);
            return plainLength;
        } catch (AEADBadTagException e) {
            return SrtpVerdict.AUTHENTICATION_FAILED.code();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The text fits its buffer", e);
        }
    }

    // RFC 7714 8.1 and 9.1: 00 00, SSRC, then the 48-bit SRTP index (the 31-bit SRTCP index with 17
    // zero bits before it), all XORed with the salt.
    private void begin(int mode, int ssrc, long index) {
        ivWords.putLong(0, saltHigh ^ ((ssrc & 0xFFFF_FFFFL) << 16 | index >>> 32));
        ivWords.putInt(Long.BYTES, saltLow ^ (int) index);
        try {
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, iv));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("An index was used twice", e);
        }
    }
}
