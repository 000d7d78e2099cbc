package dev.parley.rtc.route;

import java.nio.ByteBuffer;

/** What a datagram on a media socket is, told by its first bytes. */
public enum PacketKind {
    STUN,
    DTLS,
    RTP,
    RTCP,
    CLIENT_HEADER,
    UNKNOWN;

    private static final int STUN_HEADER = 20;
    private static final int DTLS_RECORD_HEADER = 13;
    private static final int RTP_HEADER = 12;
    private static final int RTCP_HEADER = 8;

    /**
     * Classifies without reading past the fixed header of the kind; anything shorter than that
     * header is UNKNOWN. The kind promises no more than that: each parser checks for itself.
     */
    public static PacketKind classify(ByteBuffer buffer, int offset, int length) {
        if (length < RTCP_HEADER) {
            return UNKNOWN;
        }
        int first = buffer.get(offset) & 0xFF;
        // RFC 7983 7: [0..3] STUN, [20..63] DTLS, [128..191] RTP and RTCP.
        if (first <= 3) {
            return length >= STUN_HEADER ? STUN : UNKNOWN;
        }
        if (first >= 20 && first <= 63) {
            return length >= DTLS_RECORD_HEADER ? DTLS : UNKNOWN;
        }
        if (first >= 128 && first <= 191) {
            // RFC 5761 4: RTP keeps out of payload types 64..95 with the marker bit set, which are
            // RTCP's packet types 192..223.
            int second = buffer.get(offset + 1) & 0xFF;
            if (second >= 192 && second <= 223) {
                return RTCP;
            }
            return length >= RTP_HEADER ? RTP : UNKNOWN;
        }
        return length >= ClientHeader.LENGTH && buffer.getShort(offset) == ClientHeader.MAGIC
                ? CLIENT_HEADER
                : UNKNOWN;
    }
}
