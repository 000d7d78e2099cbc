package dev.parley.rtc.srtp;

/** AEAD_AES_128_GCM, RFC 7714 8 and 9. */
final class GcmTransform implements SrtpTransform {
    private static final int TAG_LENGTH = SrtpProfile.AEAD_AES_128_GCM.tagLength();

    private final AesGcm rtp;
    private final AesGcm rtcp;

    GcmTransform(SrtpKeys keys) {
        var derivation = new KeyDerivation(keys.masterKey(), keys.masterSalt());
        rtp = gcm(derivation, KeyDerivation.RTP_ENCRYPTION, KeyDerivation.RTP_SALT);
        rtcp = gcm(derivation, KeyDerivation.RTCP_ENCRYPTION, KeyDerivation.RTCP_SALT);
    }

    /** With session keys instead of master keys, as the vectors of RFC 7714 16 and 17 want it. */
    GcmTransform(byte[] sessionKey, byte[] sessionSalt) {
        rtp = new AesGcm(sessionKey, sessionSalt);
        rtcp = new AesGcm(sessionKey, sessionSalt);
    }

    private static AesGcm gcm(KeyDerivation derivation, int keyLabel, int saltLabel) {
        return new AesGcm(
                derivation.derive(keyLabel, SrtpProfile.KEY_LENGTH),
                derivation.derive(saltLabel, SrtpProfile.AEAD_AES_128_GCM.saltLength()));
    }

    @Override
    public int rtcpIndexDistance() {
        return Integer.BYTES;
    }

    @Override
    public int sealRtp(byte[] packet, int headerLength, int length, int ssrc, long index) {
        rtp.beginSealing(ssrc, index);
        rtp.authenticate(packet, 0, headerLength);
        return headerLength + rtp.seal(packet, headerLength, length - headerLength);
    }

    @Override
    public int openRtp(byte[] packet, int headerLength, int length, int ssrc, long index) {
        rtp.beginOpening(ssrc, index);
        rtp.authenticate(packet, 0, headerLength);
        int opened = rtp.open(packet, headerLength, length - headerLength);
        return opened < 0 ? opened : headerLength + opened;
    }

    @Override
    public int sealRtcp(byte[] packet, int length, int ssrc, int index) {
        // RFC 7714 9.2: the associated data is the first eight bytes, then the E bit and the index.
        SrtpPackets.putInt(packet, length + TAG_LENGTH, SrtpPackets.ENCRYPTED | index);
        rtcp.beginSealing(ssrc, index);
        rtcp.authenticate(packet, 0, SrtpPackets.RTCP_HEADER_LENGTH);
        rtcp.authenticate(packet, length + TAG_LENGTH, Integer.BYTES);
        rtcp.seal(packet, SrtpPackets.RTCP_HEADER_LENGTH, length - SrtpPackets.RTCP_HEADER_LENGTH);
        return length + TAG_LENGTH + Integer.BYTES;
    }

    @Override
    public int openRtcp(byte[] packet, int length, int ssrc, int index) {
        int sealedLength = length - Integer.BYTES - SrtpPackets.RTCP_HEADER_LENGTH;
        rtcp.beginOpening(ssrc, index);
        rtcp.authenticate(packet, 0, SrtpPackets.RTCP_HEADER_LENGTH);
        rtcp.authenticate(packet, length - Integer.BYTES, Integer.BYTES);
        int opened = rtcp.open(packet, SrtpPackets.RTCP_HEADER_LENGTH, sealedLength);
        return opened < 0 ? opened : SrtpPackets.RTCP_HEADER_LENGTH + opened;
    }
}
