package dev.parley.rtc.stun;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of one party's MESSAGE-INTEGRITY, RFC 8489 14.5: signs and checks messages with
 * HMAC-SHA1. Owned by one session and its thread, for it keeps a MAC and scratch space.
 */
public final class StunIntegrity {
    /** Bytes of a MESSAGE-INTEGRITY value. */
    static final int LENGTH = 20;

    private static final String ALGORITHM = "HmacSHA1";

    private final Mac mac;
    private final byte[] header = new byte[StunType.HEADER_LENGTH];
    private final byte[] chunk = new byte[128];

    private StunIntegrity(byte[] key) {
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK lacks " + ALGORITHM, e);
        }
    }

    /** RFC 8489 9.1.1: the short-term key is the password; in ICE, the receiver's ice-pwd. */
    public static StunIntegrity shortTerm(String password) {
        return new StunIntegrity(password.getBytes(StandardCharsets.UTF_8));
    }

    /** RFC 8489 9.2.2: the long-term key is MD5(username ":" realm ":" password). */
    public static StunIntegrity longTerm(String username, String realm, String password) {
        try {
            String text = username + ":" + realm + ":" + password;
            return new StunIntegrity(
                    MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK lacks MD5", e);
        }
    }

    /** Whether the message has a MESSAGE-INTEGRITY and was signed with this key. */
    public boolean verifies(StunReader message) {
        if (!message.hasIntegrity()) {
            return false;
        }
        int valueAt = message.integrityOffset();
        byte[] expected = sign(message.buffer(), message.offset(), valueAt);
        // Every byte is looked at, so the time does not tell how many fit.
        int difference = 0;
        for (int i = 0; i < LENGTH; i++) {
            difference |= expected[i] ^ message.buffer().get(valueAt + i);
        }
        return difference == 0;
    }

    /**
     * The value for a MESSAGE-INTEGRITY that stands at {@code valueAt} in a message that begins at
     * {@code offset}.
     */
    byte[] sign(ByteBuffer message, int offset, int valueAt) {
        // RFC 8489 14.5: the text ends with the attribute in front of MESSAGE-INTEGRITY, but the
        // header's length counts up to the end of MESSAGE-INTEGRITY itself.
        int coveredEnd = valueAt - StunType.ATTRIBUTE_HEADER;
        int lengthField = valueAt + LENGTH - offset - StunType.HEADER_LENGTH;
        message.get(offset, header);
        header[2] = (byte) (lengthField >>> 8);
        header[3] = (byte) lengthField;
        mac.update(header);
        for (int at = offset + StunType.HEADER_LENGTH; at < coveredEnd; at += chunk.length) {
            int step = Math.min(chunk.length, coveredEnd - at);
            message.get(at, chunk, 0, step);
            mac.update(chunk, 0, step);
        }
        return mac.doFinal();
    }
}
