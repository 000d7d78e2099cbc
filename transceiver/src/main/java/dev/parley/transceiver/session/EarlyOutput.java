package dev.parley.transceiver.session;

/**
 * When audio goes out between our last DTLS flight and the client's, {@link
 * dev.parley.rtc.dtls.FalseStart}. Owned by the session.
 */
final class EarlyOutput {
    /**
     * What a client may take to get its keys out of our flight; what comes sooner it drops. Where
     * its own flight is here before, nothing goes out early, and nothing is lost by it.
     */
    static final long HEAD_START_NANOS = 5_000_000L;

    /** What the client's flight may be late by before ours is thought lost, beside half a trip. */
    static final long SLACK_NANOS = 50_000_000L;

    private static final long NOT_YET = Long.MIN_VALUE;

    private long sentNanos = NOT_YET;
    private long roundTripNanos = NOT_YET;

    /** A flight of the handshake has left. */
    void flightSent(long nowNanos) {
        sentNanos = sentNanos == NOT_YET ? nowNanos : sentNanos;
    }

    /** Something of the handshake has come. */
    void flightReceived(long nowNanos) {
        if (roundTripNanos == NOT_YET && sentNanos != NOT_YET) {
            roundTripNanos = nowNanos - sentNanos;
        }
    }

    /** When the first packet goes out, if our last flight has left now. */
    static long firstNanos(long nowNanos) {
        return nowNanos + HEAD_START_NANOS;
    }

    /**
     * From when on nothing goes out until the handshake is done: without the client's flight ours
     * was lost, most likely, and so is all audio behind it.
     */
    long untilNanos(long nowNanos) {
        long roundTrip = Math.max(0, roundTripNanos);
        return nowNanos + roundTrip + roundTrip / 2 + SLACK_NANOS;
    }
}
