package dev.parley.rtc.srtp;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Derives the session keys of one direction from its master key and salt, RFC 3711 4.3 with a key
 * derivation rate of zero: once per session, so it may allocate.
 */
final class KeyDerivation {
    // RFC 3711 4.3.1 and 4.3.2.
    static final int RTP_ENCRYPTION = 0x00;
    static final int RTP_AUTHENTICATION = 0x01;
    static final int RTP_SALT = 0x02;
    static final int RTCP_ENCRYPTION = 0x03;
    static final int RTCP_AUTHENTICATION = 0x04;
    static final int RTCP_SALT = 0x05;

    private static final int LABEL_AT = 7;

    private final AesCounterMode pseudoRandomFunction;
    private final byte[] masterSalt;

    KeyDerivation(byte[] masterKey, byte[] masterSalt) {
        this.pseudoRandomFunction = new AesCounterMode(masterKey);
        // RFC 7714 11: a 96-bit master salt is padded on the right with 16 zero bits.
        this.masterSalt = Arrays.copyOf(masterSalt, 14);
    }

    /**
     * RFC 3711 4.3.3: the first {@code length} bytes of AES-CM(master key, (label ^ salt) * 2^16).
     */
    byte[] derive(int label, int length) {
        byte[] iv = Arrays.copyOf(masterSalt, 16);
        iv[LABEL_AT] ^= (byte) label;
        ByteBuffer words = ByteBuffer.wrap(iv);
        byte[] key = new byte[length];
        pseudoRandomFunction.xorKeystream(key, 0, length, words.getLong(0), words.getLong(8));
        return key;
    }
}
