package dev.parley.rtc.srtp;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** AES128_CM_SHA1_80, RFC 3711 4.1.1 and 4.2.1. Allocates nothing per packet. */
final class CounterModeTransform implements SrtpTransform {
    private static final int TAG_LENGTH = SrtpProfile.AES128_CM_SHA1_80.tagLength();

    private final AesCounterMode rtpCipher;
    private final AesCounterMode rtcpCipher;
    private final HmacSha1 rtpAuthentication;
    private final HmacSha1 rtcpAuthentication;
    private final ByteBuffer rtpSalt;
    private final ByteBuffer rtcpSalt;

    CounterModeTransform(SrtpKeys keys) {
        var derivation = new KeyDerivation(keys.masterKey(), keys.masterSalt());
        rtpCipher = cipher(derivation, KeyDerivation.RTP_ENCRYPTION);
        rtcpCipher = cipher(derivation, KeyDerivation.RTCP_ENCRYPTION);
        rtpAuthentication = authentication(derivation, KeyDerivation.RTP_AUTHENTICATION);
        rtcpAuthentication = authentication(derivation, KeyDerivation.RTCP_AUTHENTICATION);
        rtpSalt = salt(derivation, KeyDerivation.RTP_SALT);
        rtcpSalt = salt(derivation, KeyDerivation.RTCP_SALT);
    }

    private static AesCounterMode cipher(KeyDerivation derivation, int label) {
        return new AesCounterMode(derivation.derive(label, SrtpProfile.KEY_LENGTH));
    }

    private static HmacSha1 authentication(KeyDerivation derivation, int label) {
        return new HmacSha1(derivation.derive(label, HmacSha1.KEY_LENGTH));
    }

    private static ByteBuffer salt(KeyDerivation derivation, int label) {
        byte[] salt = derivation.derive(label, SrtpProfile.AES128_CM_SHA1_80.saltLength());
        return ByteBuffer.wrap(Arrays.copyOf(salt, 16));
    }

    @Override
    public int rtcpIndexDistance() {
        return Integer.BYTES + TAG_LENGTH;
    }

    @Override
    public int sealRtp(byte[] packet, int headerLength, int length, int ssrc, long index) {
        crypt(rtpCipher, rtpSalt, packet, headerLength, length, ssrc, index);
        byte[] tag = rtpTag(packet, length, index);
        System.arraycopy(tag, 0, packet, length, TAG_LENGTH);
        return length + TAG_LENGTH;
    }

    @Override
    public int openRtp(byte[] packet, int headerLength, int length, int ssrc, long index) {
        int plainLength = length - TAG_LENGTH;
        // The rollover counter is authenticated in the place where the tag stood.
        long tagHigh = SrtpPackets.longAt(packet, plainLength);
        int tagLow = SrtpPackets.shortAt(packet, plainLength + Long.BYTES);
        if (!matches(rtpTag(packet, plainLength, index), tagHigh, tagLow)) {
            return SrtpVerdict.AUTHENTICATION_FAILED.code();
        }
        crypt(rtpCipher, rtpSalt, packet, headerLength, plainLength, ssrc, index);
        return plainLength;
    }

    @Override
    public int sealRtcp(byte[] packet, int length, int ssrc, int index) {
        crypt(rtcpCipher, rtcpSalt, packet, SrtpPackets.RTCP_HEADER_LENGTH, length, ssrc, index);
        SrtpPackets.putInt(packet, length, SrtpPackets.ENCRYPTED | index);
        int authenticated = length + Integer.BYTES;
        byte[] tag = rtcpAuthentication.of(packet, authenticated);
        System.arraycopy(tag, 0, packet, authenticated, TAG_LENGTH);
        return authenticated + TAG_LENGTH;
    }

    @Override
    public int openRtcp(byte[] packet, int length, int ssrc, int index) {
        int authenticated = length - TAG_LENGTH;
        long tagHigh = SrtpPackets.longAt(packet, authenticated);
        int tagLow = SrtpPackets.shortAt(packet, authenticated + Long.BYTES);
        if (!matches(rtcpAuthentication.of(packet, authenticated), tagHigh, tagLow)) {
            return SrtpVerdict.AUTHENTICATION_FAILED.code();
        }
        int plainLength = authenticated - Integer.BYTES;
        crypt(
                rtcpCipher,
                rtcpSalt,
                packet,
                SrtpPackets.RTCP_HEADER_LENGTH,
                plainLength,
                ssrc,
                index);
        return plainLength;
    }

    // RFC 3711 4.1.1: IV = (k_s * 2^16) XOR (SSRC * 2^64) XOR (i * 2^16)
    private static void crypt(
            AesCounterMode cipher,
            ByteBuffer salt,
            byte[] packet,
            int from,
            int to,
            int ssrc,
            long index) {
        long ivHigh = salt.getLong(0) ^ (ssrc & 0xFFFF_FFFFL);
        long ivLow = salt.getLong(Long.BYTES) ^ (index << 16);
        cipher.xorKeystream(packet, from, to - from, ivHigh, ivLow);
    }

    // RFC 3711 4.2: M = authenticated portion || ROC
    private byte[] rtpTag(byte[] packet, int length, long index) {
        SrtpPackets.putInt(packet, length, (int) (index >>> 16));
        return rtpAuthentication.of(packet, length + Integer.BYTES);
    }

    // Takes the same time wherever the first difference is.
    private static boolean matches(byte[] tag, long high, int low) {
        long difference = SrtpPackets.longAt(tag, 0) ^ high;
        difference |= SrtpPackets.shortAt(tag, Long.BYTES) ^ low;
        return difference == 0;
    }
}
