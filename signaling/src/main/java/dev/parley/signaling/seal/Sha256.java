package dev.parley.signaling.seal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The digest that stands for secrets wherever they are kept or counted. */
public final class Sha256 {
    public static final int BYTES = 32;

    private Sha256() {}

    /** Digest of the text's UTF-8. */
    public static byte[] of(String text) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
