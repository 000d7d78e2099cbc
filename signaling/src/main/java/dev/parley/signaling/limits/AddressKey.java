package dev.parley.signaling.limits;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * What limits per address count under: an IPv4 address, or an IPv6 /64, which is what one
 * subscriber has.
 */
public record AddressKey(long value) {
    // An IPv4 address cannot meet a /64: those have their high half set.
    public static AddressKey of(InetAddress client) {
        ByteBuffer bytes = ByteBuffer.wrap(client.getAddress());
        return new AddressKey(
                client instanceof Inet4Address ? bytes.getInt() & 0xFFFF_FFFFL : bytes.getLong());
    }
}
