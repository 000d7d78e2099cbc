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

    /** {@code IN IP4 a.b.c.d} or {@code IN IP6 a::b}, as the c= line spells it. */
    String connection() {
        return (address.indexOf(':') < 0 ? "IN IP4 " : "IN IP6 ") + address;
    }
}
