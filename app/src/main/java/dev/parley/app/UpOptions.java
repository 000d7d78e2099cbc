package dev.parley.app;

import dev.parley.runtime.config.ConfigException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/**
 * What {@code up} can be told.
 *
 * @param httpPort port of the page and the signaling API, 0 for any
 * @param udpPort public media port of the relay, 0 for any
 * @param publicAddresses addresses that answers advertise and the relay binds, best first; not
 *     empty
 */
public record UpOptions(int httpPort, int udpPort, List<InetAddress> publicAddresses) {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    /**
     * Any address that is not of this network (RFC 5737): it chooses the route, nothing is sent.
     */
    private static final InetSocketAddress ELSEWHERE =
            new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 9);

    static UpOptions of(Map<String, String> options) {
        return new UpOptions(
                port("http", options.getOrDefault("http", "8080")),
                port("udp", options.getOrDefault("udp", "3478")),
                options.containsKey("public-address")
                        ? List.of(address(options.get("public-address")))
                        : ofThisMachine());
    }

    // Firefox sends nothing to loopback from another interface, and has no other candidates of its
    // own; Chromium takes whichever of the two answers first.
    private static List<InetAddress> ofThisMachine() {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(ELSEWHERE);
            InetAddress own = socket.getLocalAddress();
            if (own instanceof Inet4Address && !own.isAnyLocalAddress() && !own.equals(LOOPBACK)) {
                return List.of(LOOPBACK, own);
            }
        } catch (IOException | UncheckedIOException e) {
            // A machine without a network talks to itself.
        }
        return List.of(LOOPBACK);
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
