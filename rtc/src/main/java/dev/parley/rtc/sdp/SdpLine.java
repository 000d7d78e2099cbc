package dev.parley.rtc.sdp;

import java.util.regex.Pattern;

/**
 * One line of an offer, RFC 8866 5, and where it stands.
 *
 * @param number from 1
 * @param text without its end
 */
record SdpLine(int number, String text) {
    private static final Pattern SHAPE = Pattern.compile("[a-z]=\\P{Cntrl}*");

    /** Whether it is a letter, an equals sign and a value without control characters. */
    boolean isWellFormed() {
        return SHAPE.matcher(text).matches();
    }

    char type() {
        return text.charAt(0);
    }

    /** What stands behind {@code x=}. */
    String value() {
        return text.substring(2);
    }

    /** The name of an {@code a=} line, what stands in front of the colon. */
    String attribute() {
        int colon = text.indexOf(':');
        return colon < 0 ? value() : text.substring(2, colon);
    }

    /** The value of an {@code a=} line, what stands behind the colon; empty for a flag. */
    String attributeValue() {
        int colon = text.indexOf(':');
        return colon < 0 ? "" : text.substring(colon + 1).strip();
    }

    SdpException error(String reason) {
        return new SdpException(number, text, reason);
    }
}
