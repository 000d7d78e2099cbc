package dev.parley.rtc.route;

import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * AES-128-GCM (NIST SP 800-38D) for one key and the few blocks of a route token. Owned by a {@link
 * RouteTokens}; not thread-safe.
 *
 * <p>The JDK's GCM cipher allocates for each nonce and throws for each forged tag, on bytes that
 * any stranger can send. Here the key schedule and the powers of the hash key are kept, and a wrong
 * tag is a false.
 */
final class TokenSeal {
    static final int TAG_LENGTH = 12;
    static final int HEADER_LENGTH = 1;
    static final int SESSION_ID_LENGTH = 16;
    static final int BODY_AT = HEADER_LENGTH + SESSION_ID_LENGTH;

    private static final int BLOCK = 16;
    private static final int NONCE_LENGTH = 12;
    private static final int BLOCK_BITS = 128;

    /** The reduction of x^128, bit-reflected: x^128 = x^7 + x^2 + x + 1. */
    private static final long REDUCTION = 0xE1L << 56;

    private final Cipher aes;
    private final long[] hashKeyPowersHigh = new long[BLOCK_BITS];
    private final long[] hashKeyPowersLow = new long[BLOCK_BITS];

    // Three counter blocks: the first masks the tag, the others the body.
    private final byte[] counters = new byte[3 * BLOCK];
    private final byte[] keystream = new byte[3 * BLOCK];

    private long hashHigh;
    private long hashLow;

    TokenSeal(byte[] key) {
        try {
            aes = Cipher.getInstance("AES/ECB/NoPadding");
            aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK lacks AES", e);
        }
        // SP 800-38D 6.3: the hash key is the cipher of the zero block; its powers by x follow.
        encrypt(BLOCK);
        long high = readLong(keystream, 0);
        long low = readLong(keystream, 8);
        for (int i = 0; i < BLOCK_BITS; i++) {
            hashKeyPowersHigh[i] = high;
            hashKeyPowersLow[i] = low;
            long carry = -(low & 1) & REDUCTION;
            low = (low >>> 1) | (high << 63);
            high = (high >>> 1) ^ carry;
        }
        for (int block = 0; block < 3; block++) {
            counters[block * BLOCK + BLOCK - 1] = (byte) (block + 1);
        }
    }

    /** Encrypts the body in place and writes the tag behind it. */
    void seal(byte[] token, int bodyLength) {
        makeKeystream(token, bodyLength);
        applyKeystream(token, bodyLength);
        hash(token, bodyLength);
        int tagAt = BODY_AT + bodyLength;
        for (int i = 0; i < TAG_LENGTH; i++) {
            token[tagAt + i] = tagByte(i);
        }
    }

    /** Decrypts the body in place; answers false and leaves it sealed when the tag is wrong. */
    boolean open(byte[] token, int bodyLength) {
        makeKeystream(token, bodyLength);
        hash(token, bodyLength);
        int tagAt = BODY_AT + bodyLength;
        int difference = 0;
        for (int i = 0; i < TAG_LENGTH; i++) {
            difference |= token[tagAt + i] ^ tagByte(i);
        }
        if (difference != 0) {
            return false;
        }
        applyKeystream(token, bodyLength);
        return true;
    }

    private void makeKeystream(byte[] token, int bodyLength) {
        for (int at = 0; at < counters.length; at += BLOCK) {
            System.arraycopy(token, HEADER_LENGTH, counters, at, NONCE_LENGTH);
        }
        encrypt(bodyLength <= BLOCK ? 2 * BLOCK : 3 * BLOCK);
    }

    private void encrypt(int length) {
        try {
            int written = aes.update(counters, 0, length, keystream, 0);
            if (written != length) {
                throw new IllegalStateException("AES/ECB held back whole blocks");
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private void applyKeystream(byte[] token, int bodyLength) {
        for (int i = 0; i < bodyLength; i++) {
            token[BODY_AT + i] ^= keystream[BLOCK + i];
        }
    }

    private byte tagByte(int i) {
        long half = i < 8 ? hashHigh : hashLow;
        return (byte) ((half >>> (56 - 8 * (i & 7))) ^ keystream[i]);
    }

    /** GHASH, SP 800-38D 6.4, over the header as AAD, the sealed body and both bit lengths. */
    private void hash(byte[] token, int bodyLength) {
        hashHigh = 0;
        hashLow = 0;
        absorb((long) token[0] << 56, 0);
        for (int at = 0; at < bodyLength; at += BLOCK) {
            absorb(padded(token, bodyLength, at), padded(token, bodyLength, at + 8));
        }
        absorb(8L * HEADER_LENGTH, 8L * bodyLength);
    }

    private void absorb(long high, long low) {
        long left = hashHigh ^ high;
        long right = hashLow ^ low;
        long productHigh = 0;
        long productLow = 0;
        for (int i = 0; i < 64; i++) {
            // Masks in place of branches: the time tells nothing of the key.
            long leftMask = (left << i) >> 63;
            long rightMask = (right << i) >> 63;
            productHigh ^=
                    (hashKeyPowersHigh[i] & leftMask) ^ (hashKeyPowersHigh[i + 64] & rightMask);
            productLow ^= (hashKeyPowersLow[i] & leftMask) ^ (hashKeyPowersLow[i + 64] & rightMask);
        }
        hashHigh = productHigh;
        hashLow = productLow;
    }

    /** Eight bytes of the body, zeros behind its end. */
    private static long padded(byte[] token, int bodyLength, int from) {
        long value = 0;
        for (int i = from; i < from + 8; i++) {
            value = (value << 8) | (i < bodyLength ? token[BODY_AT + i] & 0xFF : 0);
        }
        return value;
    }

    private static long readLong(byte[] bytes, int at) {
        long value = 0;
        for (int i = at; i < at + 8; i++) {
            value = (value << 8) | (bytes[i] & 0xFF);
        }
        return value;
    }
}
