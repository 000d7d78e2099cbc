package dev.parley.relay;

import dev.parley.runtime.udp.IpAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** An address and port as the hot path has them, for tests. */
record Endpoint(long high, long low, int port) {
    static Endpoint of(String literal, int port) {
        InetAddress address = InetAddress.ofLiteral(literal);
        return new Endpoint(IpAddress.high(address), IpAddress.low(address), port);
    }

    static Endpoint of(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        return new Endpoint(IpAddress.high(ip), IpAddress.low(ip), address.getPort());
    }

    InetSocketAddress toSocketAddress() {
        return IpAddress.toSocketAddress(high, low, port);
    }
}
