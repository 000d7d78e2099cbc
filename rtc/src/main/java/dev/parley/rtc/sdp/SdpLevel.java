package dev.parley.rtc.sdp;

import dev.parley.rtc.ice.IceCredentials;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The attributes that may stand at session level as well as in an m-section, gathered at one of
 * them by the parser that owns it.
 */
final class SdpLevel {
    @Nullable String ufrag;
    @Nullable String password;
    @Nullable SdpSetup setup;
    @Nullable SdpDirection direction;
    final List<SdpFingerprint> fingerprints = new ArrayList<>();
    boolean extmapAllowMixed;
    boolean sped;

    /** Takes an {@code a=} line if it is one of these. */
    void take(SdpLine line) throws SdpException {
        switch (line.attribute()) {
            case "ice-ufrag" -> ufrag = iceText(line, 4);
            case "ice-pwd" -> password = iceText(line, 22);
            case "fingerprint" -> fingerprints.add(fingerprint(line));
            case "setup" -> setup = setup(line);
            // RFC 8839 5.6: tokens, of which this is the only one that makes a difference here.
            case "ice-options" ->
                    sped |= List.of(line.attributeValue().split(" ")).contains("sped");
            case "extmap-allow-mixed" -> extmapAllowMixed = true;
            default -> {
                SdpDirection found = SdpDirection.find(line.value());
                if (found != null) {
                    direction = found;
                }
            }
        }
    }

    private static String iceText(SdpLine line, int minLength) throws SdpException {
        String text = line.attributeValue();
        if (!IceCredentials.isIceChars(text, minLength)) {
            throw line.error(
                    "must be "
                            + minLength
                            + " to 256 characters out of A-Z a-z 0-9 + / (RFC 8839 5.4)");
        }
        return text;
    }

    private static SdpSetup setup(SdpLine line) throws SdpException {
        SdpSetup found = SdpSetup.find(line.attributeValue());
        if (found == null) {
            throw line.error("setup must be actpass, active or passive");
        }
        return found;
    }

    private static SdpFingerprint fingerprint(SdpLine line) throws SdpException {
        String[] parts = line.attributeValue().split(" +", -1);
        if (parts.length != 2) {
            throw line.error("expected a hash function and its value");
        }
        String algorithm = parts[0].toLowerCase(Locale.ROOT);
        String value = parts[1].toUpperCase(Locale.ROOT);
        int expected = SdpFingerprint.hashLength(algorithm);
        if (expected != 0 && !isHash(value, expected)) {
            throw line.error(algorithm + " needs " + expected + " bytes as hex joined by colons");
        }
        return new SdpFingerprint(algorithm, value);
    }

    private static boolean isHash(String value, int length) {
        if (value.length() != 3 * length - 1) {
            return false;
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (i % 3 == 2 ? c != ':' : !HexFormat.isHexDigit(c)) {
                return false;
            }
        }
        return true;
    }
}
