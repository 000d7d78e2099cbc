package dev.parley.rtc.sctp;

/**
 * Transmission sequence numbers as 64-bit counters that never wrap; the wire carries the low 32
 * bits.
 */
final class Tsn {
    // One turn above zero, so that numbers just before the first are not negative.
    private static final long FIRST_TURN = 1L << 32;

    private Tsn() {}

    static long first(int onWire) {
        return FIRST_TURN + Integer.toUnsignedLong(onWire);
    }
}
