package dev.parley.rtc.srtp;

/**
 * Encrypts and authenticates packets of one direction under its session keys. Works on a packet at
 * the start of an array of {@link SrtpPackets#MAX_LENGTH} bytes, in place; knows neither replay
 * windows nor rollover. One thread only.
 */
sealed interface SrtpTransform permits CounterModeTransform, GcmTransform {
    static SrtpTransform of(SrtpKeys keys) {
        return switch (keys.profile()) {
            case AEAD_AES_128_GCM -> new GcmTransform(keys);
            case AES128_CM_SHA1_80 -> new CounterModeTransform(keys);
        };
    }

    /** How many bytes before its end an SRTCP packet has its E bit and index. */
    int rtcpIndexDistance();

    /**
     * Encrypts the packet behind its header and appends the tag.
     *
     * @param index the 48-bit packet index: rollover counter, then sequence number
     * @return the new length in bytes
     */
    int sealRtp(byte[] packet, int headerLength, int length, int ssrc, long index);

    /**
     * The reverse of {@link #sealRtp}; decrypts nothing unless the tag matches.
     *
     * @return the new length in bytes, or the code of {@link SrtpVerdict#AUTHENTICATION_FAILED}
     */
    int openRtp(byte[] packet, int headerLength, int length, int ssrc, long index);

    /**
     * Encrypts the compound packet behind its first eight bytes and appends tag, E bit and index.
     *
     * @return the new length in bytes
     */
    int sealRtcp(byte[] packet, int length, int ssrc, int index);

    /**
     * The reverse of {@link #sealRtcp}.
     *
     * @param index the 31-bit index that the packet carries
     * @return the new length in bytes, or the code of {@link SrtpVerdict#AUTHENTICATION_FAILED}
     */
    int openRtcp(byte[] packet, int length, int ssrc, int index);
}
