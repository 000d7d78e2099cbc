package dev.parley.rtc.srtp;

/** What a receiver remembers of one synchronization source. Belongs to one {@link SrtpSources}. */
final class SrtpSource {
    static final int SEQUENCE_NUMBERS = 1 << 16;
    private static final int HALF = 1 << 15;

    final ReplayWindow rtp = new ReplayWindow();
    final ReplayWindow rtcp = new ReplayWindow();
    int ssrc;
    long lastUsed;

    /**
     * The 48-bit index that a sequence number most likely stands for.
     *
     * @param sequenceNumber 0 to 65535
     */
    long guessIndex(int sequenceNumber) {
        if (rtp.isEmpty()) {
            return sequenceNumber;
        }
        // RFC 3711 3.3.1 and appendix A, s_l being the highest sequence number received.
        long rolloverCounter = rtp.highest() >>> 16;
        int highest = (int) (rtp.highest() & 0xFFFF);
        if (highest < HALF) {
            // Departs from "v is set to (ROC-1) mod 2^32": before the first cycle nothing was sent.
            if (sequenceNumber - highest > HALF && rolloverCounter > 0) {
                rolloverCounter--;
            }
        } else if (highest - HALF > sequenceNumber) {
            rolloverCounter++;
        }
        return rolloverCounter * SEQUENCE_NUMBERS + sequenceNumber;
    }

    void reset(int newSsrc) {
        ssrc = newSsrc;
        rtp.reset();
        rtcp.reset();
    }
}
