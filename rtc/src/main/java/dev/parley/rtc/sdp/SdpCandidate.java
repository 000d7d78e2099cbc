package dev.parley.rtc.sdp;

/**
 * A public address that the answer advertises, a host candidate over UDP.
 *
 * @param address IPv4 or IPv6 address, without brackets
 * @param port 1..65535
 */
public record SdpCandidate(String address, int port) {
    /** Refuses what would break the line it is written into. */
    public SdpCandidate {
        if (!address.matches("[0-9A-Za-z.:-]{1,64}")) {
            throw new IllegalArgumentException("not an address: " + address);
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("not a port: " + port);
        }
    }

    /**
     * The a= line, RFC 8839 5.1.
     *
     * @param index 0 for the best one
     */
    String line(int index) {
        // RFC 8445 5.1.2.1: type preference 126 for host, local preference falling, component 1.
        long priority = (126L << 24) | ((65_535L - index) << 8) | 255;
        return "a=candidate:%d 1 udp %d %s %d typ host"
                .formatted(index + 1, priority, address, port);
    }

    /** {@code IN IP4 a.b.c.d} or {@code IN IP6 a::b}, as the c= line spells it. */
    String connection() {
        return (address.indexOf(':') < 0 ? "IN IP4 " : "IN IP6 ") + address;
    }
}
