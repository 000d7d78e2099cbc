package dev.parley.signaling.net;

import dev.parley.runtime.config.Cidr;
import dev.parley.runtime.udp.IpAddress;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerRequestHeaders;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Tells where a request really comes from when proxies of ours stand in front. What {@code
 * Forwarded} (RFC 7239) or {@code X-Forwarded-For} say is believed only as far as trusted proxies
 * wrote it: read from the end, the first address that is no trusted proxy is the client. Any thread
 * may ask.
 */
public final class TrustedProxies {
    private static final HeaderName FORWARDED = HeaderNames.create("Forwarded");
    private static final HeaderName X_FORWARDED_FOR = HeaderNames.create("X-Forwarded-For");

    private final List<Cidr> trusted;

    /**
     * Believes these and nobody else.
     *
     * @param trusted addresses of our proxies; none means that no header is believed
     */
    public TrustedProxies(List<Cidr> trusted) {
        this.trusted = List.copyOf(trusted);
    }

    /** The client's address. */
    public InetAddress client(ServerRequestHeaders headers, SocketAddress peer) {
        InetAddress nearest = nearest(peer);
        return contains(trusted, nearest) ? behind(headers, nearest) : nearest;
    }

    /** Whether the other end of a connection is one of our proxies. */
    public boolean isOurs(SocketAddress peer) {
        return contains(trusted, nearest(peer));
    }

    private static InetAddress nearest(SocketAddress peer) {
        return peer instanceof InetSocketAddress address
                ? address.getAddress()
                : InetAddress.getLoopbackAddress();
    }

    private InetAddress behind(ServerRequestHeaders headers, InetAddress peer) {
        List<String> hops = hops(headers);
        InetAddress nearest = peer;
        for (String hop : hops.reversed()) {
            Optional<InetAddress> address = literal(hop);
            if (address.isEmpty()) {
                // RFC 7239 6: unknown, or an obfuscated name. Nothing before it can be believed.
                return nearest;
            }
            nearest = address.get();
            if (!contains(trusted, nearest)) {
                return nearest;
            }
        }
        return nearest;
    }

    // Forwarded wins: a proxy that writes it replaces what a client sent in the older header.
    private static List<String> hops(ServerRequestHeaders headers) {
        List<String> hops = new ArrayList<>();
        if (headers.contains(FORWARDED)) {
            for (String element : elements(headers, FORWARDED)) {
                hops.add(forwardedFor(element));
            }
            return hops;
        }
        return headers.contains(X_FORWARDED_FOR) ? elements(headers, X_FORWARDED_FOR) : hops;
    }

    private static List<String> elements(ServerRequestHeaders headers, HeaderName name) {
        List<String> elements = new ArrayList<>();
        for (String line : headers.get(name).allValues()) {
            for (String element : line.split(",", -1)) {
                elements.add(element.strip());
            }
        }
        return elements;
    }

    // RFC 7239 4: pairs separated by semicolons, names in any case, values maybe quoted.
    private static String forwardedFor(String element) {
        for (String pair : element.split(";", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0
                    && pair.substring(0, equals).strip().toLowerCase(Locale.ROOT).equals("for")) {
                return pair.substring(equals + 1).strip().replace("\"", "");
            }
        }
        return "";
    }

    // An address, maybe with a port: 192.0.2.1, 192.0.2.1:80, [2001:db8::1]:80, 2001:db8::1.
    private static Optional<InetAddress> literal(String hop) {
        String host = hop;
        if (hop.startsWith("[")) {
            int end = hop.indexOf(']');
            host = end < 0 ? "" : hop.substring(1, end);
        } else if (hop.indexOf(':') == hop.lastIndexOf(':') && hop.indexOf(':') > 0) {
            host = hop.substring(0, hop.indexOf(':'));
        }
        try {
            return Optional.of(InetAddress.ofLiteral(host));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    static boolean contains(List<Cidr> ranges, InetAddress address) {
        long high = IpAddress.high(address);
        long low = IpAddress.low(address);
        return ranges.stream().anyMatch(range -> range.contains(high, low));
    }
}
