package dev.parley.rtc.srtp;

import java.nio.ByteBuffer;

/**
 * Authenticates and decrypts what one peer sends, RFC 3711 3.3. Each session owns one; one thread
 * only. No packet, however bad, changes anything here unless it is authentic.
 *
 * <p>Under AES128_CM_SHA1_80 a packet allocates nothing; under AEAD_AES_128_GCM only the JDK's
 * cipher does (see {@code docs/adr/0003-srtp.md}).
 */
public final class SrtpReceiver {
    /**
     * A source whose packets are first heard with numbers below this may have wrapped unheard: a
     * minute of audio, sent before our keys were there or while the path was down.
     */
    private static final int MAX_LOST_START = 3_000;

    /** What forged packets may cost in second tries until an authentic one comes. */
    private static final int MAX_SECOND_TRIES = 100;

    private final SrtpTransform transform;
    private final int rtpOverhead;
    private final int rtcpOverhead;
    private final SrtpSources sources = new SrtpSources();
    private final byte[] packet = new byte[SrtpPackets.MAX_LENGTH];
    private int secondTries;

    /**
     * @param keys what the peer sends with
     */
    public SrtpReceiver(SrtpKeys keys) {
        transform = SrtpTransform.of(keys);
        rtpOverhead = keys.profile().rtpOverhead();
        rtcpOverhead = keys.profile().rtcpOverhead();
    }

    /**
     * Turns the SRTP packet at {@code offset} into the RTP packet at the same place.
     *
     * @return its length in bytes, or a negative {@link SrtpVerdict#code} with nothing changed
     */
    public int unprotectRtp(ByteBuffer buffer, int offset, int length) {
        int headerLength = SrtpPackets.rtpHeaderLength(buffer, offset, length - rtpOverhead);
        if (headerLength < 0) {
            return SrtpVerdict.MALFORMED.code();
        }
        if (length > SrtpPackets.MAX_LENGTH) {
            return SrtpVerdict.TOO_LONG.code();
        }
        int ssrc = buffer.getInt(offset + SrtpPackets.RTP_SSRC_AT);
        int sequenceNumber = buffer.getShort(offset + SrtpPackets.RTP_SEQUENCE_AT) & 0xFFFF;
        SrtpSource source = sources.find(ssrc);
        // RFC 3711 3.3.1: a source starts with a rollover counter of zero.
        long index = source == null ? sequenceNumber : source.guessIndex(sequenceNumber);
        int refusal = source == null ? 0 : source.rtp.refusal(index);
        if (refusal < 0) {
            return refusal;
        }
        buffer.get(offset, packet, 0, length);
        int plainLength = transform.openRtp(packet, headerLength, length, ssrc, index);
        boolean unheard = source == null || source.rtp.isEmpty();
        if (plainLength < 0 && unheard && mayHaveWrapped(sequenceNumber)) {
            // RFC 3711 3.3.1 has senders start below 2^15 so that the first wrap is not missed; not
            // all do.
            index += SrtpSource.SEQUENCE_NUMBERS;
            buffer.get(offset, packet, 0, length);
            plainLength = transform.openRtp(packet, headerLength, length, ssrc, index);
        }
        if (plainLength < 0) {
            return plainLength;
        }
        secondTries = 0;
        if (source == null) {
            source = sources.admit(ssrc);
        }
        if (source == null) {
            return SrtpVerdict.TOO_MANY_SOURCES.code();
        }
        sources.touch(source);
        source.rtp.accept(index);
        buffer.put(offset + headerLength, packet, headerLength, plainLength - headerLength);
        return plainLength;
    }

    private boolean mayHaveWrapped(int sequenceNumber) {
        if (sequenceNumber >= MAX_LOST_START || secondTries == MAX_SECOND_TRIES) {
            return false;
        }
        secondTries++;
        return true;
    }

    /**
     * Turns the SRTCP packet at {@code offset} into the compound RTCP packet at the same place.
     *
     * @return its length in bytes, or a negative {@link SrtpVerdict#code} with nothing changed
     */
    public int unprotectRtcp(ByteBuffer buffer, int offset, int length) {
        if (length < SrtpPackets.RTCP_HEADER_LENGTH + rtcpOverhead
                || !SrtpPackets.isVersion2(buffer.get(offset))) {
            return SrtpVerdict.MALFORMED.code();
        }
        if (length > SrtpPackets.MAX_LENGTH) {
            return SrtpVerdict.TOO_LONG.code();
        }
        int trailer = buffer.getInt(offset + length - transform.rtcpIndexDistance());
        // RFC 8827 6.5 forbids media without encryption; RFC 3711 3.4 would allow this.
        if ((trailer & SrtpPackets.ENCRYPTED) == 0) {
            return SrtpVerdict.NOT_ENCRYPTED.code();
        }
        int index = trailer & ~SrtpPackets.ENCRYPTED;
        int ssrc = buffer.getInt(offset + SrtpPackets.RTCP_SSRC_AT);
        SrtpSource source = sources.find(ssrc);
        int refusal = source == null ? 0 : source.rtcp.refusal(index);
        if (refusal < 0) {
            return refusal;
        }
        buffer.get(offset, packet, 0, length);
        int plainLength = transform.openRtcp(packet, length, ssrc, index);
        if (plainLength < 0) {
            return plainLength;
        }
        if (source == null) {
            source = sources.admit(ssrc);
        }
        if (source == null) {
            return SrtpVerdict.TOO_MANY_SOURCES.code();
        }
        sources.touch(source);
        source.rtcp.accept(index);
        int headerLength = SrtpPackets.RTCP_HEADER_LENGTH;
        buffer.put(offset + headerLength, packet, headerLength, plainLength - headerLength);
        return plainLength;
    }
}
