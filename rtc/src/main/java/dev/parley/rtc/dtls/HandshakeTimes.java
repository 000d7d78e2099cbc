package dev.parley.rtc.dtls;

/**
 * How long one handshake waits for its peer, in either role. Owned by {@link DtlsHandshake}.
 *
 * @param timeoutMillis the longest that a whole handshake may take, more than zero
 * @param resendMillis first wait before a flight is sent again, more than zero
 */
record HandshakeTimes(int timeoutMillis, int resendMillis) {
    /** Waits double up to this many first waits, by default a second. */
    private static final int LONGEST_WAIT = 4;

    HandshakeTimes {
        if (timeoutMillis <= 0 || resendMillis <= 0) {
            throw new IllegalArgumentException("Waits must be longer than nothing");
        }
    }

    /** The longest wait before a flight is sent again. */
    int repeatMillis() {
        return LONGEST_WAIT * resendMillis;
    }
}
