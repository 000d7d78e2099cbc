package dev.parley.rtc.srtp;

/**
 * Why a packet was not protected or unprotected. On the hot path a verdict travels as its negative
 * {@link #code}, in the place of a length.
 */
public enum SrtpVerdict {
    /** Not an RTP or RTCP packet, or too short to have been protected. */
    MALFORMED,

    /** Longer than any packet that we send or accept. */
    TOO_LONG,

    /** The tag does not match: forged, damaged, or protected under other keys. */
    AUTHENTICATION_FAILED,

    /** This index was accepted before (or, when protecting, used before). */
    REPLAYED,

    /** So far behind that the replay window cannot tell whether it was accepted before. */
    TOO_OLD,

    /** An SRTCP packet whose E bit says that it is not encrypted. */
    NOT_ENCRYPTED,

    /** Authentic, but of one synchronization source more than one session may have. */
    TOO_MANY_SOURCES,

    /** 2^31 SRTCP or 2^48 SRTP packets were protected: these keys must not be used any more. */
    KEYS_EXHAUSTED;

    private static final SrtpVerdict[] VALUES = values();

    /** This verdict as a negative number. */
    public int code() {
        return -1 - ordinal();
    }

    /** The verdict behind a negative {@code code}. */
    public static SrtpVerdict of(int code) {
        return VALUES[-1 - code];
    }
}
