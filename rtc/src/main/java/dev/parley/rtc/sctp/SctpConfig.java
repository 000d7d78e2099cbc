package dev.parley.rtc.sctp;

/**
 * Limits and timers of an association.
 *
 * @param packetBytes longest packet sent; with DTLS around it it must fit a datagram
 * @param maxMessageBytes longest message taken from the peer; a longer one is discarded and counted
 * @param receiveWindowBytes what may wait here for its consumer or for its missing parts; must be
 *     able to hold a longest message
 * @param sendBufferBytes what may wait here for the peer's acknowledgement
 * @param maxStreams asked for and allowed, each way, 1 to 65,535
 * @param interleaving offer I-DATA, RFC 8260
 * @param zeroChecksum offer to take packets without checksum, RFC 9653; only over DTLS
 * @param timers how long to wait for what
 */
public record SctpConfig(
        int packetBytes,
        int maxMessageBytes,
        int receiveWindowBytes,
        int sendBufferBytes,
        int maxStreams,
        boolean interleaving,
        boolean zeroChecksum,
        Timers timers) {
    /**
     * Fits a datagram of 1,200 bytes with a DTLS 1.2 record around it: 13 bytes of header, 8 of
     * nonce, 16 of tag.
     */
    public static final int DEFAULT_PACKET_BYTES = 1_160;

    private static final int SMALLEST_PACKET_BYTES = 508;

    /**
     * RFC 9260 16, departing from its 1 s for RTO.Initial and RTO.Min and its 60 s for RTO.Max: a
     * conversation does not survive such pauses, and libwebrtc's SCTP waits as short.
     *
     * @param rtoInitialNanos before a round trip was measured
     * @param rtoMinNanos longer than a peer may delay a SACK
     * @param rtoMaxNanos ceiling of the exponential back-off
     * @param maxRetransmissions in a row, before the peer counts as gone
     * @param heartbeatNanos between heartbeats on an idle path
     * @param sackDelayNanos RFC 9260 6.2: the longest that a SACK is held back
     * @param cookieLifeNanos Valid.Cookie.Life
     */
    public record Timers(
            long rtoInitialNanos,
            long rtoMinNanos,
            long rtoMaxNanos,
            int maxRetransmissions,
            long heartbeatNanos,
            long sackDelayNanos,
            long cookieLifeNanos) {
        private static final long MILLIS = 1_000_000L;

        /**
         * With 22 retransmissions the peer is given up after about a minute, when ICE has long
         * noticed.
         */
        public static final Timers DEFAULT =
                new Timers(
                        500 * MILLIS,
                        400 * MILLIS,
                        3_000 * MILLIS,
                        22,
                        30_000 * MILLIS,
                        100 * MILLIS,
                        60_000 * MILLIS);
    }

    public static final SctpConfig DEFAULT =
            new SctpConfig(
                    DEFAULT_PACKET_BYTES,
                    262_144,
                    1_048_576,
                    1_048_576,
                    65_535,
                    true,
                    true,
                    Timers.DEFAULT);

    public SctpConfig {
        if (packetBytes < SMALLEST_PACKET_BYTES || packetBytes % 4 != 0) {
            throw new IllegalArgumentException(
                    "packetBytes must be a multiple of 4, at least " + SMALLEST_PACKET_BYTES);
        }
        if (maxMessageBytes < 1 || receiveWindowBytes / 2 < maxMessageBytes) {
            throw new IllegalArgumentException(
                    "receiveWindowBytes must be at least twice maxMessageBytes");
        }
        if (sendBufferBytes < 1 || maxStreams < 1 || maxStreams > 65_535) {
            throw new IllegalArgumentException("sendBufferBytes or maxStreams out of range");
        }
    }
}
