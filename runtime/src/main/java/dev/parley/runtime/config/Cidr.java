package dev.parley.runtime.config;

import dev.parley.runtime.udp.IpAddress;
import java.net.InetAddress;

/**
 * A range of addresses, {@code 10.0.0.0/8} or {@code fd00::/8}; a single address stands for itself.
 * Matching works on the two-long form of hot paths, IPv4 as IPv4-mapped.
 *
 * @param high high half of the range's first address
 * @param low low half of the range's first address
 * @param prefixBits leading bits that all its addresses share, 0 to 128, counted in the mapped form
 */
public record Cidr(long high, long low, int prefixBits) {
    private static final int MAPPED_PREFIX_BITS = 96;
    private static final int ADDRESS_BITS = 128;

    /**
     * Reads a range or a single address.
     *
     * @throws IllegalArgumentException when the text is no range; the message says why and reads on
     *     after the text
     */
    public static Cidr parse(String text) {
        String trimmed = text.strip();
        int slash = trimmed.indexOf('/');
        InetAddress address = literal(slash < 0 ? trimmed : trimmed.substring(0, slash));
        long high = IpAddress.high(address);
        long low = IpAddress.low(address);
        int offset = IpAddress.isIpv4(high, low) ? MAPPED_PREFIX_BITS : 0;
        int prefixBits =
                slash < 0
                        ? ADDRESS_BITS
                        : offset + prefix(trimmed.substring(slash + 1), ADDRESS_BITS - offset);
        Cidr cidr = new Cidr(high & highMask(prefixBits), low & lowMask(prefixBits), prefixBits);
        if (cidr.high != high || cidr.low != low) {
            throw new IllegalArgumentException(
                    "has bits set beyond its prefix, did you mean " + cidr + "?");
        }
        return cidr;
    }

    private static InetAddress literal(String text) {
        try {
            return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException("is not a literal IPv4 or IPv6 address");
        }
    }

    private static int prefix(String text, int max) {
        try {
            int bits = Integer.parseInt(text);
            if (bits >= 0 && bits <= max) {
                return bits;
            }
        } catch (NumberFormatException _) {
            // Falls through to the one message for both.
        }
        throw new IllegalArgumentException("has a prefix outside 0 to " + max);
    }

    /** Whether the address lies in this range. */
    public boolean contains(long addressHigh, long addressLow) {
        return ((addressHigh ^ high) & highMask(prefixBits)) == 0
                && ((addressLow ^ low) & lowMask(prefixBits)) == 0;
    }

    private static long highMask(int prefixBits) {
        return prefixBits == 0 ? 0 : -1L << Math.max(0, Long.SIZE - prefixBits);
    }

    private static long lowMask(int prefixBits) {
        return prefixBits <= Long.SIZE ? 0 : -1L << (ADDRESS_BITS - prefixBits);
    }

    @Override
    public String toString() {
        int shown = IpAddress.isIpv4(high, low) ? prefixBits - MAPPED_PREFIX_BITS : prefixBits;
        return IpAddress.toInetAddress(high, low).getHostAddress() + "/" + shown;
    }
}
