package dev.parley.app;

import dev.parley.runtime.config.ConfigException;
import java.net.InetAddress;
import java.util.Map;

/**
 * What {@code up} can be told.
 *
 * @param httpPort port of the page and the signaling API, 0 for any
 * @param udpPort public media port of the relay, 0 for any
 * @param publicAddress address that answers advertise and the relay binds
 */
public record UpOptions(int httpPort, int udpPort, InetAddress publicAddress) {
    static UpOptions of(Map<String, String> options) {
        return new UpOptions(
                port("http", options.getOrDefault("http", "8080")),
                port("udp", options.getOrDefault("udp", "3478")),
                address(options.getOrDefault("public-address", "127.0.0.1")));
    }

    private static int port(String name, String value) {
        try {
            int port = Integer.parseInt(value);
            if (port >= 0 && port <= 0xFFFF) {
                return port;
            }
        } catch (NumberFormatException e) {
            // Answered below, like a number out of range.
        }
        throw new ConfigException(
                "--"
                        + name
                        + " is '"
                        + value
                        + "', which is no port: give a number from 0 to 65535");
    }

    private static InetAddress address(String value) {
        String problem = "no IP address";
        // Four numbers for IPv4: the shorter forms that the JDK takes are no addresses to a
        // browser.
        if (value.matches("[0-9]+(\\.[0-9]+){3}|.*:.*")) {
            try {
                InetAddress address = InetAddress.ofLiteral(value);
                if (!address.isAnyLocalAddress()) {
                    return address;
                }
                problem = "no address that a browser could send to";
            } catch (IllegalArgumentException e) {
                // Answered below.
            }
        }
        throw new ConfigException(
                "--public-address is '"
                        + value
                        + "', which is "
                        + problem
                        + ": give the IP address of this machine that browsers reach");
    }
}
