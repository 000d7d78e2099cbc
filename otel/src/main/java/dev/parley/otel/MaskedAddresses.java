package dev.parley.otel;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes from IP addresses in a text what tells one person's from another's: the last byte of IPv4,
 * all but the first 48 bits of IPv6. Loopback addresses, wildcards and ports stay.
 */
public final class MaskedAddresses {
    private static final Pattern IPV4 =
            Pattern.compile(
                    "(?<![0-9.])([0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3})\\.[0-9]{1,3}(?![0-9.])");
    private static final Pattern IPV6 =
            Pattern.compile(
                    "(?<![0-9a-fA-F:])(?:[0-9a-fA-F]{1,4}:){1,7}(?::?[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4})*|:)(?![0-9a-fA-F:])");

    private MaskedAddresses() {}

    /** The text with its addresses masked. */
    public static String in(String text) {
        String masked = text.contains(":") ? replace(IPV6, text, false) : text;
        return replace(IPV4, masked, true);
    }

    private static String replace(Pattern pattern, String text, boolean ipv4) {
        Matcher found = pattern.matcher(text);
        StringBuilder masked = new StringBuilder();
        while (found.find()) {
            String address = found.group();
            found.appendReplacement(
                    masked, Matcher.quoteReplacement(ipv4 ? ipv4(found) : ipv6(address)));
        }
        return found.appendTail(masked).toString();
    }

    private static String ipv4(Matcher found) {
        String network = found.group(1);
        boolean harmless = network.startsWith("127.") || found.group().equals("0.0.0.0");
        return harmless ? found.group() : network + ".x";
    }

    // Times of day look like addresses, but have two digits everywhere and no "::".
    private static String ipv6(String address) {
        String[] groups = address.split(":", -1);
        if (groups.length < 4 || address.matches("[0-9]{2}(:[0-9]{2})+")) {
            return address;
        }
        return groups[0] + ":" + groups[1] + ":" + groups[2] + "::x";
    }
}
