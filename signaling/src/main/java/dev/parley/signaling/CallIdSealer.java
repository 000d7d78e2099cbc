package dev.parley.signaling;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * Seals a {@link CallId} into the {@code rtc_...} token that clients hold, and opens it again. Any
 * thread may use it; every instance with the same key opens the tokens of every other.
 *
 * <p>The token is {@code rtc_} and base64url without padding of
 *
 * <pre>
 *   version (1) = 0x01 | nonce (12) | AES-128-GCM ciphertext | tag (16)
 *   plaintext: session id (16) | address family 4 or 6 (1) | control address (4 or 16) | port (2)
 * </pre>
 *
 * The version byte is the associated data. The nonce is random and the token has a key of its own,
 * so it cannot be linked to the ufrag that the same session shows on the wire, nor two tokens of
 * one session to each other.
 */
final class CallIdSealer {
    static final String PREFIX = "rtc_";

    private static final byte VERSION = 1;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BYTES = 16;
    private static final int HEADER_BYTES = 1 + NONCE_BYTES;
    private static final int IPV4_BYTES = HEADER_BYTES + CallId.SESSION_ID_BYTES + 7 + TAG_BYTES;
    private static final int IPV6_BYTES = HEADER_BYTES + CallId.SESSION_ID_BYTES + 19 + TAG_BYTES;
    private static final byte[] INFO = "parley call id v1".getBytes(StandardCharsets.US_ASCII);
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

    private final SecretKey key;
    private final SecureRandom random;

    /**
     * @param callIdKey 16 bytes that all instances share
     * @param random source of nonces
     */
    CallIdSealer(byte[] callIdKey, SecureRandom random) {
        this.random = random;
        try {
            this.key =
                    KDF.getInstance("HKDF-SHA256")
                            .deriveKey(
                                    "AES",
                                    HKDFParameterSpec.ofExtract()
                                            .addIKM(callIdKey)
                                            .thenExpand(INFO, 16));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK lacks HKDF-SHA256", e);
        }
    }

    String seal(CallId id) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        byte[] address = id.control().getAddress().getAddress();
        ByteBuffer plain = ByteBuffer.allocate(CallId.SESSION_ID_BYTES + 3 + address.length);
        plain.put(id.sessionIdBytes());
        plain.put((byte) (id.control().getAddress() instanceof Inet4Address ? 4 : 6));
        plain.put(address);
        plain.putShort((short) id.control().getPort());

        ByteBuffer token =
                ByteBuffer.allocate(HEADER_BYTES + plain.capacity() + TAG_BYTES)
                        .put(VERSION)
                        .put(nonce);
        try {
            cipher(Cipher.ENCRYPT_MODE, nonce).doFinal(plain.flip(), token);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-GCM failed to encrypt", e);
        }
        return PREFIX + ENCODER.encodeToString(token.array());
    }

    /** Empty for anything that was not sealed with this key, without saying why. */
    Optional<CallId> open(String token) {
        byte[] bytes = decode(token);
        if ((bytes.length != IPV4_BYTES && bytes.length != IPV6_BYTES) || bytes[0] != VERSION) {
            return Optional.empty();
        }
        byte[] nonce = new byte[NONCE_BYTES];
        System.arraycopy(bytes, 1, nonce, 0, NONCE_BYTES);
        try {
            byte[] plain =
                    cipher(Cipher.DECRYPT_MODE, nonce)
                            .doFinal(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES);
            return read(ByteBuffer.wrap(plain));
        } catch (GeneralSecurityException _) {
            return Optional.empty();
        }
    }

    private static byte[] decode(String token) {
        if (!token.startsWith(PREFIX)) {
            return new byte[0];
        }
        try {
            byte[] bytes = DECODER.decode(token.substring(PREFIX.length()));
            // Base64 ignores the last digit's unused bits: one call, one spelling of its token.
            boolean canonical = ENCODER.encodeToString(bytes).equals(token.substring(4));
            return canonical ? bytes : new byte[0];
        } catch (IllegalArgumentException _) {
            return new byte[0];
        }
    }

    private static Optional<CallId> read(ByteBuffer plain) {
        byte[] sessionId = new byte[CallId.SESSION_ID_BYTES];
        plain.get(sessionId);
        int family = plain.get();
        byte[] address = new byte[plain.remaining() - 2];
        plain.get(address);
        int port = plain.getShort() & 0xFFFF;
        if (family != (address.length == 4 ? 4 : 6)) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    CallId.of(
                            sessionId,
                            new InetSocketAddress(InetAddress.getByAddress(address), port)));
        } catch (UnknownHostException _) {
            return Optional.empty();
        }
    }

    private Cipher cipher(int mode, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(8 * TAG_BYTES, nonce));
        cipher.updateAAD(new byte[] {VERSION});
        return cipher;
    }
}
