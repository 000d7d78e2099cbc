package dev.parley.rtc.sctp;

/** Congestion window of the one path, RFC 9260 7.2. Owned by an association. */
final class CongestionControl {
    /**
     * RFC 9260 7.2.1 says about four packets; ten, as RFC 6928 has it for TCP and libwebrtc for
     * SCTP, let a message of ten kilobytes leave in one round trip.
     */
    private static final int INITIAL_PACKETS = 10;

    /**
     * RFC 9260 7.2.1: L. More than the two packets of an ordinary SACK, for one that stands for
     * others that were lost or never sent.
     */
    private static final int MOST_PACKETS_PER_SACK = 8;

    private final int packetBytes;
    private int windowBytes;
    private int slowStartThreshold;
    private int partialBytesAcked;
    private boolean recovering;
    private long recoveryExit;

    CongestionControl(int packetBytes, int peerWindowBytes) {
        this.packetBytes = packetBytes;
        this.windowBytes = INITIAL_PACKETS * packetBytes;
        // 7.2.1: the initial threshold may be the peer's window.
        this.slowStartThreshold = Math.max(peerWindowBytes, windowBytes);
    }

    int windowBytes() {
        return windowBytes;
    }

    int slowStartThreshold() {
        return slowStartThreshold;
    }

    boolean isRecovering() {
        return recovering;
    }

    /**
     * The cumulative TSN has advanced.
     *
     * @param ackedBytes newly acknowledged, gap acks included
     * @param inUse whether the window, and not the sender's owner, limited what was sent
     */
    void acked(int ackedBytes, boolean inUse) {
        if (recovering) {
            return;
        }
        if (windowBytes <= slowStartThreshold) {
            // 7.2.1: only when the window was in use.
            if (inUse) {
                windowBytes += Math.min(ackedBytes, MOST_PACKETS_PER_SACK * packetBytes);
            }
            return;
        }
        // 7.2.2
        partialBytesAcked += ackedBytes;
        if (partialBytesAcked >= windowBytes && inUse) {
            partialBytesAcked -= windowBytes;
            windowBytes += packetBytes;
        } else if (partialBytesAcked >= windowBytes) {
            partialBytesAcked = windowBytes;
        }
    }

    /** 7.2.2: all that was sent has been acknowledged. */
    void allAcked() {
        partialBytesAcked = 0;
    }

    /** 7.2.4: losses were told by gap acks; at most once per window. */
    void lossDetected(long highestTsnSent) {
        reduceThreshold();
        windowBytes = slowStartThreshold;
        partialBytesAcked = 0;
        recovering = true;
        recoveryExit = highestTsnSent;
    }

    void cumulativeAdvanced(long cumulativeTsn) {
        if (recovering && cumulativeTsn >= recoveryExit) {
            recovering = false;
        }
    }

    /** 7.2.3: T3-rtx has expired. */
    void timedOut() {
        reduceThreshold();
        windowBytes = packetBytes;
        partialBytesAcked = 0;
        recovering = false;
    }

    /** 7.2.1: nothing was sent for a retransmission timeout. */
    void idle() {
        windowBytes = Math.max(windowBytes / 2, Math.min(windowBytes, 4 * packetBytes));
    }

    private void reduceThreshold() {
        slowStartThreshold = Math.max(windowBytes / 2, 4 * packetBytes);
    }
}
