package dev.parley.rtc.ice;

import java.util.random.RandomGenerator;

/**
 * One side's username fragment and password, RFC 8839 5.4.
 *
 * @param ufrag 4 to 256 ice-chars
 * @param password 22 to 256 ice-chars, at least 128 random bits
 */
public record IceCredentials(String ufrag, String password) {
    private static final String ICE_CHARS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    private static final int PASSWORD_LENGTH = 24;
    private static final int UFRAG_LENGTH = 8;

    /** Refuses what RFC 8839 5.4 forbids. */
    public IceCredentials {
        if (!isIceChars(ufrag, 4)) {
            throw new IllegalArgumentException("ice-ufrag is not 4 to 256 ice-chars");
        }
        if (!isIceChars(password, 22)) {
            throw new IllegalArgumentException("ice-pwd is not 22 to 256 ice-chars");
        }
    }

    /** Credentials with a ufrag of the caller's, a route token, and a fresh password. */
    public static IceCredentials withUfrag(String ufrag, RandomGenerator random) {
        return new IceCredentials(ufrag, iceChars(PASSWORD_LENGTH, random));
    }

    /** Fresh credentials, as a client has them. */
    public static IceCredentials random(RandomGenerator random) {
        return withUfrag(iceChars(UFRAG_LENGTH, random), random);
    }

    /** Whether a text is ice-chars only, at least so many and at most 256. */
    public static boolean isIceChars(String text, int minLength) {
        return text.length() >= minLength
                && text.length() <= 256
                && text.chars().allMatch(c -> ICE_CHARS.indexOf(c) >= 0);
    }

    private static String iceChars(int length, RandomGenerator random) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(ICE_CHARS.charAt(random.nextInt(ICE_CHARS.length())));
        }
        return text.toString();
    }

    /** Never shows the password. */
    @Override
    public String toString() {
        return "IceCredentials[ufrag=" + ufrag + "]";
    }
}
