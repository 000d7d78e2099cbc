package dev.parley.relay.store;

import dev.parley.runtime.udp.IpAddress;
import java.net.InetAddress;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Entries as the store has them, in text that a person can read.
 *
 * <pre>
 * key:   PREFIX203.0.113.10:3478&lt;198.51.100.7:40000
 * value: 1 10.1.2.3:7200 cluster 7 session 4bf92f3577b34da6a3ce929d0e0e4736 by 00f067aa0ba902b7
 * </pre>
 *
 * The number in front is the format's version; {@code by} names the relay that wrote the entry. The
 * key has no spaces. Reading takes only what writing makes.
 */
final class FlowText {
    /** Nothing of ours is longer; what is must not cost us more than a look. */
    private static final int MAX_LENGTH = 200;

    private static final Pattern VALUE =
            Pattern.compile(
                    "1 (?:\\[([0-9a-f:.]{2,45})\\]|([0-9.]{7,15})):([0-9]{1,5}) cluster ([0-9]{1,5})"
                            + " session ([0-9a-f]{16})([0-9a-f]{16}) by [0-9a-f]{16}");
    private static final int MAX_PORT = 65_535;
    private static final int MAX_CLUSTER = 65_535;

    private FlowText() {}

    static String key(String prefix, FlowKey key) {
        return prefix + publicAddress(key) + "<" + client(key);
    }

    static String client(FlowKey key) {
        return IpAddress.text(key.clientHigh(), key.clientLow(), key.clientPort());
    }

    static String publicAddress(FlowKey key) {
        return IpAddress.text(key.publicHigh(), key.publicLow(), key.publicPort());
    }

    /** The value's part that says where a flow leads, whoever wrote it. */
    static String route(StoredRoute route) {
        HexFormat hex = HexFormat.of();
        return "1 "
                + IpAddress.text(
                        route.transceiverHigh(), route.transceiverLow(), route.transceiverPort())
                + " cluster "
                + route.clusterId()
                + " session "
                + hex.toHexDigits(route.sessionHigh())
                + hex.toHexDigits(route.sessionLow())
                + " by ";
    }

    /** Reads a value; null when it is none of ours. */
    static @Nullable StoredRoute parse(String value) {
        if (value.length() > MAX_LENGTH) {
            return null;
        }
        Matcher matcher = VALUE.matcher(value);
        if (!matcher.matches()) {
            return null;
        }
        String address = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
        int port = Integer.parseInt(matcher.group(3));
        int cluster = Integer.parseInt(matcher.group(4));
        if (port == 0 || port > MAX_PORT || cluster > MAX_CLUSTER) {
            return null;
        }
        try {
            InetAddress transceiver = InetAddress.ofLiteral(address);
            StoredRoute route =
                    new StoredRoute(
                            IpAddress.high(transceiver),
                            IpAddress.low(transceiver),
                            port,
                            cluster,
                            Long.parseUnsignedLong(matcher.group(5), 16),
                            Long.parseUnsignedLong(matcher.group(6), 16));
            // Only what we would write ourselves: 010.1.2.3 and other spellings are not.
            return value.startsWith(route(route)) ? route : null;
        } catch (IllegalArgumentException _) {
            return null;
        }
    }
}
