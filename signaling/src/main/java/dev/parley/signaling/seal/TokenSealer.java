package dev.parley.signaling.seal;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * Seals bytes into text that a client can hold, and opens it again. Any thread may use it; every
 * instance with the same keys opens the tokens of every other. The first key seals and all of them
 * open, so that keys can be changed one instance after another.
 *
 * <p>A token is a prefix and base64url without padding of
 *
 * <pre>
 *   version (1) | nonce (12) | AES-128-GCM ciphertext | tag (16)
 * </pre>
 *
 * The version byte is the associated data. Each purpose has keys of its own, derived with HKDF, so
 * that a token of one kind never opens as another. Nonces are random: two tokens of the same bytes
 * have nothing in common.
 */
public final class TokenSealer {
    /** Bytes of a key as it is configured. */
    public static final int KEY_BYTES = 16;

    private static final int NONCE_BYTES = 12;
    private static final int TAG_BYTES = 16;
    private static final int HEADER_BYTES = 1 + NONCE_BYTES;
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

    private final String prefix;
    private final byte version;
    private final List<SecretKey> keys;
    private final SecureRandom random;

    /**
     * Seals tokens of one kind.
     *
     * @param prefix what every token of this kind begins with
     * @param version of the bytes' layout
     * @param purpose tells the keys of this kind from those of others
     * @param keys of 16 bytes each, at least one; all instances share them
     * @param random source of nonces
     */
    public TokenSealer(
            String prefix, int version, String purpose, List<byte[]> keys, SecureRandom random) {
        this.prefix = prefix;
        this.version = (byte) version;
        this.keys = keys.stream().map(key -> derive(key, purpose)).toList();
        this.random = random;
    }

    private static SecretKey derive(byte[] key, String purpose) {
        byte[] info = purpose.getBytes(StandardCharsets.US_ASCII);
        try {
            return KDF.getInstance("HKDF-SHA256")
                    .deriveKey(
                            "AES",
                            HKDFParameterSpec.ofExtract().addIKM(key).thenExpand(info, KEY_BYTES));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK lacks HKDF-SHA256", e);
        }
    }

    /** The bytes as a token. */
    public String seal(byte[] plain) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        byte[] token = new byte[HEADER_BYTES + plain.length + TAG_BYTES];
        token[0] = version;
        System.arraycopy(nonce, 0, token, 1, NONCE_BYTES);
        try {
            cipher(Cipher.ENCRYPT_MODE, keys.getFirst(), nonce)
                    .doFinal(plain, 0, plain.length, token, HEADER_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-GCM failed to encrypt", e);
        }
        return prefix + ENCODER.encodeToString(token);
    }

    /** Empty for anything that was not sealed with one of the keys, without saying why. */
    public Optional<byte[]> open(String token) {
        byte[] bytes = decode(token);
        if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] != version) {
            return Optional.empty();
        }
        byte[] nonce = Arrays.copyOfRange(bytes, 1, HEADER_BYTES);
        for (SecretKey key : keys) {
            try {
                return Optional.of(
                        cipher(Cipher.DECRYPT_MODE, key, nonce)
                                .doFinal(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES));
            } catch (GeneralSecurityException _) {
                // Sealed with another key, or by nobody.
            }
        }
        return Optional.empty();
    }

    private byte[] decode(String token) {
        if (!token.startsWith(prefix)) {
            return new byte[0];
        }
        String text = token.substring(prefix.length());
        try {
            byte[] bytes = DECODER.decode(text);
            // Base64 ignores the last digit's unused bits: one thing, one spelling of its token.
            return ENCODER.encodeToString(bytes).equals(text) ? bytes : new byte[0];
        } catch (IllegalArgumentException _) {
            return new byte[0];
        }
    }

    private Cipher cipher(int mode, SecretKey key, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(8 * TAG_BYTES, nonce));
        cipher.updateAAD(new byte[] {version});
        return cipher;
    }
}
