package dev.parley.otel;

import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
        return in(text, Set.of());
    }

    /**
     * The same.
     *
     * @param shown addresses that are nobody's secret, such as {@link #of} finds them in a config
     */
    public static String in(String text, Set<String> shown) {
        String masked = text.contains(":") ? replace(IPV6, text, false, shown) : text;
        return replace(IPV4, masked, true, shown);
    }

    /** The addresses in a text, as they are written there. */
    public static Set<String> of(String text) {
        return Stream.of(IPV4, IPV6)
                .flatMap(pattern -> pattern.matcher(text).results())
                .map(MatchResult::group)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static String replace(Pattern pattern, String text, boolean ipv4, Set<String> shown) {
        Matcher found = pattern.matcher(text);
        StringBuilder masked = new StringBuilder();
        while (found.find()) {
            String address = found.group();
            String written = shown.contains(address) ? address : ipv4 ? ipv4(found) : ipv6(address);
            found.appendReplacement(masked, Matcher.quoteReplacement(written));
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
