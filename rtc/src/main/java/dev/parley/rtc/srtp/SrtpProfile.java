package dev.parley.rtc.srtp;

import java.util.List;

/**
 * The SRTP protection profiles that we negotiate, with the sizes that RFC 5764 and 7714 give them.
 */
public enum SrtpProfile {
    /** RFC 7714 14.2. */
    AEAD_AES_128_GCM(0x0007, 12, 16),

    /** RFC 5764 4.1.2: {@code SRTP_AES128_CM_HMAC_SHA1_80}. */
    AES128_CM_SHA1_80(0x0001, 14, 10);

    /** Length in bytes of the master key and of the session encryption key, in every profile. */
    public static final int KEY_LENGTH = 16;

    /**
     * What we offer or accept, most wanted first: one pass over the packet, and a full-length tag.
     */
    public static final List<SrtpProfile> PREFERENCE = List.of(AEAD_AES_128_GCM, AES128_CM_SHA1_80);

    private final int id;
    private final int saltLength;
    private final int tagLength;

    SrtpProfile(int id, int saltLength, int tagLength) {
        this.id = id;
        this.saltLength = saltLength;
        this.tagLength = tagLength;
    }

    /** The profile's number in the {@code use_srtp} extension. */
    public int id() {
        return id;
    }

    /** Length in bytes of the master salt. */
    public int saltLength() {
        return saltLength;
    }

    /** Bytes that protection adds to an RTP packet. */
    public int rtpOverhead() {
        return tagLength;
    }

    /** Bytes that protection adds to an RTCP packet: the tag, the E bit and the index. */
    public int rtcpOverhead() {
        return tagLength + Integer.BYTES;
    }

    int tagLength() {
        return tagLength;
    }
}
