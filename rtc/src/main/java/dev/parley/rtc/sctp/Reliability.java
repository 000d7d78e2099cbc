package dev.parley.rtc.sctp;

/**
 * How hard to try, RFC 3758 and RFC 7496.
 *
 * @param kind what limits it
 * @param limit transmissions after the first, or nanoseconds; unused when reliable
 */
public record Reliability(Kind kind, long limit) {
    /** What limits the effort for a message. */
    public enum Kind {
        RELIABLE,
        RETRANSMISSIONS,
        LIFETIME
    }

    public static final Reliability RELIABLE = new Reliability(Kind.RELIABLE, 0);

    public static Reliability retransmissions(long most) {
        return new Reliability(Kind.RETRANSMISSIONS, most);
    }

    public static Reliability lifetime(long nanos) {
        return new Reliability(Kind.LIFETIME, nanos);
    }
}
