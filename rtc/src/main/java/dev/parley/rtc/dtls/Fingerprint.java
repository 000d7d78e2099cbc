package dev.parley.rtc.dtls;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * A certificate's hash as an SDP {@code a=fingerprint} line gives it, RFC 8122 5: what ties a DTLS
 * association to the offer that was made over signaling.
 *
 * @param hashFunction lower case, such as {@code sha-256}
 * @param value upper case hex bytes with colons between them
 */
public record Fingerprint(String hashFunction, String value) {
    private static final HexFormat COLON_HEX = HexFormat.ofDelimiter(":").withUpperCase();

    /** Takes either case. */
    public Fingerprint {
        hashFunction = hashFunction.toLowerCase(Locale.ROOT);
        value = value.toUpperCase(Locale.ROOT);
    }

    /** The hash of a certificate's DER bytes by a function that {@link #isSupported} knows. */
    static Fingerprint of(String hashFunction, byte[] certificate) {
        try {
            MessageDigest digest = MessageDigest.getInstance(hashFunction.toUpperCase(Locale.ROOT));
            return new Fingerprint(hashFunction, COLON_HEX.formatHex(digest.digest(certificate)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-2", e);
        }
    }

    /**
     * Whether the hash function is one that we compare certificates by. RFC 8122 also allows MD5
     * and SHA-1, which prove nothing any more.
     */
    public boolean isSupported() {
        return switch (hashFunction) {
            case "sha-256", "sha-384", "sha-512" -> true;
            default -> false;
        };
    }

    /** Whether this is the fingerprint of the certificate with these DER bytes. */
    boolean matches(byte[] certificate) {
        return isSupported() && of(hashFunction, certificate).equals(this);
    }

    /** As it stands in SDP: hash function, blank, value. */
    @Override
    public String toString() {
        return hashFunction + " " + value;
    }
}
