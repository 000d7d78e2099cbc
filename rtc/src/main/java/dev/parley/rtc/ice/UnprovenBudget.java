package dev.parley.rtc.ice;

/**
 * What a session may send to paths that are not proven, so that whoever forges an address gets
 * little out of it. Owned by an {@link IceLite}.
 *
 * <p>As in QUIC (RFC 9000 8.1 and 9.3) a path gets {@value #FACTOR} times the bytes that came from
 * it. Beyond that there is a grant for all paths of a session together, so that a client which is
 * silent itself hears audio at once; only a proof renews it, and not more often than every ten
 * seconds, however often a client that proves its own address moves to somebody else's. Media and
 * DTLS end when {@link #TOTAL_BYTES} have gone without a proof.
 */
final class UnprovenBudget {
    static final int FACTOR = 3;

    /** Beyond what came: some forty packets of speech, most of a second. */
    static final int GRANT_BYTES = 4_096;

    /** What media that goes out before the handshake is done leaves it: two of its flights. */
    static final int HANDSHAKE_BYTES = 2_048;

    /** Media and DTLS in all: some ten seconds of speech. */
    static final int TOTAL_BYTES = 65_536;

    static final long RENEWAL_NANOS = 10_000_000_000L;

    private long grantBytes = GRANT_BYTES;
    private long totalBytes = TOTAL_BYTES;
    private boolean renewed;
    private long renewedNanos;

    /** Notes what came from a path. */
    void received(IcePair pair, int lengthBytes) {
        pair.creditBytes += (long) FACTOR * lengthBytes;
    }

    /** Notes an answer to what came, which is never longer than {@link #answerRoom}. */
    void answered(IcePair pair, int lengthBytes, boolean carriesDtls) {
        pair.creditBytes -= lengthBytes;
        totalBytes -= carriesDtls ? lengthBytes : 0;
    }

    /** How long an answer to what came from a path may be, what its grant has left untouched. */
    static long answerRoom(IcePair pair) {
        return pair.proven ? Long.MAX_VALUE : pair.creditBytes;
    }

    /** The same with DTLS in it, which counts as DTLS does, and leaves half to what goes alone. */
    long dtlsRoom(IcePair pair) {
        return pair.proven
                ? Long.MAX_VALUE
                : Math.min(pair.creditBytes, totalBytes - TOTAL_BYTES / 2);
    }

    /**
     * Takes so many bytes of media or DTLS for a path; false, and nothing taken, if it may not.
     *
     * @param keptBytes what must be left to the path then
     */
    boolean spend(IcePair pair, int lengthBytes, int keptBytes) {
        if (totalBytes < lengthBytes
                || pair.creditBytes + grantBytes < lengthBytes + keptBytes
                || !spendOnCheck(pair, lengthBytes)) {
            return false;
        }
        totalBytes -= lengthBytes;
        return true;
    }

    /** The same for a check of our own, for which there is always something after the client's. */
    boolean spendOnCheck(IcePair pair, int lengthBytes) {
        long beyond = Math.max(0, lengthBytes - pair.creditBytes);
        if (beyond > grantBytes) {
            return false;
        }
        grantBytes -= beyond;
        pair.creditBytes -= lengthBytes - beyond;
        return true;
    }

    /** A path was proven. */
    void renew(long nowNanos) {
        if (!renewed || nowNanos - renewedNanos >= RENEWAL_NANOS) {
            renewed = true;
            renewedNanos = nowNanos;
            grantBytes = GRANT_BYTES;
            totalBytes = TOTAL_BYTES;
        }
    }
}
