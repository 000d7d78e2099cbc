package dev.parley.rtc.rtp;

/**
 * Turns the monotonic time that the protocol core runs on into NTP timestamps, RFC 3550 4, from one
 * pair of readings that the owner of the clocks took at the start.
 */
public final class NtpTime {
    /** What {@link #roundTripNanos} answers when the peer has heard no sender report yet. */
    public static final long UNKNOWN = -1;

    private static final long SECONDS_FROM_1900_TO_1970 = 2_208_988_800L;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final long unixNanosAtZero;

    /**
     * @param unixNanos nanoseconds since 1970 by the wall clock, when the monotonic clock showed
     *     {@code nowNanos}
     */
    public NtpTime(long unixNanos, long nowNanos) {
        this.unixNanosAtZero = unixNanos - nowNanos;
    }

    /** The 64-bit NTP timestamp: seconds since 1900 in the high half, their fraction in the low. */
    public long at(long nowNanos) {
        long unixNanos = unixNanosAtZero + nowNanos;
        long seconds = Math.floorDiv(unixNanos, NANOS_PER_SECOND) + SECONDS_FROM_1900_TO_1970;
        long nanos = Math.floorMod(unixNanos, NANOS_PER_SECOND);
        return seconds << 32 | (nanos << 32) / NANOS_PER_SECOND;
    }

    /** The middle 32 bits, in which LSR is given: 65536ths of a second. */
    public static int middle(long ntpTimestamp) {
        return (int) (ntpTimestamp >>> 16);
    }

    /** A duration in 65536ths of a second, in which DLSR is given; good for 18 hours. */
    public static int shortDuration(long nanos) {
        return (int)
                (nanos / NANOS_PER_SECOND * 65536
                        + nanos % NANOS_PER_SECOND * 65536 / NANOS_PER_SECOND);
    }

    /**
     * The round-trip time that a report block about our stream implies, RFC 3550 6.4.1: A - LSR -
     * DLSR.
     *
     * @param ntpTimestamp when the block arrived
     * @return nanoseconds, not less than zero, or {@link #UNKNOWN}
     */
    public static long roundTripNanos(
            long ntpTimestamp, int lastSenderReport, int delaySinceLastSenderReport) {
        if (lastSenderReport == 0) {
            return UNKNOWN;
        }
        int roundTrip = middle(ntpTimestamp) - lastSenderReport - delaySinceLastSenderReport;
        // Rounding can make a fast round trip seem shorter than nothing.
        return (Math.max(0, roundTrip) * NANOS_PER_SECOND) >> 16;
    }
}
