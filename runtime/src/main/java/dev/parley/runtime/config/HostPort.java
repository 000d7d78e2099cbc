package dev.parley.runtime.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * A host and a port as the config writes them: {@code 127.0.0.1:3478}, {@code [::1]:3478}, {@code
 * relay.example:3478}. Port 0 lets the system choose.
 *
 * @param host a literal address, without brackets, or a name
 * @param port 0 to 65535
 */
public record HostPort(String host, int port) {
    private static final int MAX_PORT = 65_535;

    public HostPort {
        if (host.isBlank()) {
            throw new IllegalArgumentException("has no host");
        }
        if (port < 0 || port > MAX_PORT) {
            throw new IllegalArgumentException("has a port outside 0 to 65535");
        }
    }

    /**
     * Reads a host and port.
     *
     * @throws IllegalArgumentException when the text is no host and port; the message says why and
     *     reads on after the text
     */
    public static HostPort parse(String text) {
        String trimmed = text.strip();
        int colon = trimmed.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("has no port");
        }
        String host = trimmed.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw new IllegalArgumentException("is an IPv6 address without brackets");
        }
        try {
            return new HostPort(host, Integer.parseInt(trimmed.substring(colon + 1)));
        } catch (NumberFormatException _) {
            throw new IllegalArgumentException("has a port that is not a number");
        }
    }

    public static HostPort of(InetSocketAddress address) {
        return new HostPort(address.getAddress().getHostAddress(), address.getPort());
    }

    /**
     * Looks the host up, which may block.
     *
     * @param key the option this came from, for the error
     * @throws ConfigException when the host is unknown
     */
    public InetSocketAddress resolve(String key) {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException _) {
            throw new ConfigException(
                    key + ": the host of \"" + this + "\" is unknown; give one that resolves");
        }
    }

    @Override
    public String toString() {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }
}
