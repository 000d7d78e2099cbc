package dev.parley.rtc.sdp;

/**
 * A certificate's fingerprint, RFC 8122 5.
 *
 * @param algorithm hash function in lower case, {@code sha-256}
 * @param value bytes in upper-case hex, joined by colons
 */
public record SdpFingerprint(String algorithm, String value) {
    /** As SDP spells it. */
    @Override
    public String toString() {
        return algorithm + " " + value;
    }

    /** Bytes of a hash that this build can check, or 0. */
    static int hashLength(String algorithm) {
        return switch (algorithm) {
            case "sha-256" -> 32;
            case "sha-384" -> 48;
            case "sha-512" -> 64;
            default -> 0;
        };
    }
}
