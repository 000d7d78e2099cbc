package dev.parley.rtc.sim;

/**
 * A UDP address in the simulated network.
 *
 * @param high high 8 bytes, 0 for IPv4
 * @param low low 8 bytes, IPv4 being IPv4-mapped
 */
public record SimAddress(long high, long low, int port) {
    /** {@code 10.0.0.host:port} */
    public static SimAddress of(int host, int port) {
        return new SimAddress(0, 0xFFFF_0A00_0000L | host, port);
    }
}
