package dev.parley.rtc.srtp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts and authenticates what we send to one peer, RFC 3711 3.3. Each session owns one; one
 * thread only. Sequence numbers of a source must rise (gaps and wraps are fine): an index that was
 * used once is refused, since using it again would give the keystream away.
 *
 * <p>Under AES128_CM_SHA1_80 a packet allocates nothing; under AEAD_AES_128_GCM only the JDK's
 * cipher does (see {@code docs/adr/0003-srtp.md}).
 */
public final class SrtpSender {
    /** We send one audio source; a renegotiated call may need a few more. */
    static final int MAX_SOURCES = 16;

    private static final long MAX_RTP_INDEX = (1L << 48) - 1;
    private static final int MAX_RTCP_INDEX = Integer.MAX_VALUE;

    private final SrtpTransform transform;
    private final int rtpOverhead;
    private final int rtcpOverhead;
    private final Source[] sources = new Source[MAX_SOURCES];
    private final byte[] packet = new byte[SrtpPackets.MAX_LENGTH];
    private int sourceCount;

    /**
     * @param keys what we send with
     */
    public SrtpSender(SrtpKeys keys) {
        transform = SrtpTransform.of(keys);
        rtpOverhead = keys.profile().rtpOverhead();
        rtcpOverhead = keys.profile().rtcpOverhead();
    }

    /** Bytes that must be free behind an RTP packet: what {@link #protectRtp} adds. */
    public int rtpOverhead() {
        return rtpOverhead;
    }

    /** Bytes that must be free behind an RTCP packet: what {@link #protectRtcp} adds. */
    public int rtcpOverhead() {
        return rtcpOverhead;
    }

    /**
     * Turns the RTP packet at {@code offset} into an SRTP packet at the same place.
     *
     * @return its length in bytes, or a negative {@link SrtpVerdict#code} with nothing changed
     * @throws IndexOutOfBoundsException unless the buffer has {@link #rtpOverhead} bytes of room
     */
    public int protectRtp(ByteBuffer buffer, int offset, int length) {
        int headerLength = SrtpPackets.rtpHeaderLength(buffer, offset, length);
        if (headerLength < 0) {
            return SrtpVerdict.MALFORMED.code();
        }
        if (length + rtpOverhead > SrtpPackets.MAX_LENGTH) {
            return SrtpVerdict.TOO_LONG.code();
        }
        int ssrc = buffer.getInt(offset + SrtpPackets.RTP_SSRC_AT);
        Source source = source(ssrc);
        if (source == null) {
            return SrtpVerdict.TOO_MANY_SOURCES.code();
        }
        int sequenceNumber = buffer.getShort(offset + SrtpPackets.RTP_SEQUENCE_AT) & 0xFFFF;
        long index = source.nextRtpIndex(sequenceNumber);
        if (index <= source.rtpIndex) {
            return SrtpVerdict.REPLAYED.code();
        }
        if (index > MAX_RTP_INDEX) {
            return SrtpVerdict.KEYS_EXHAUSTED.code();
        }
        buffer.get(offset, packet, 0, length);
        int sealedLength = transform.sealRtp(packet, headerLength, length, ssrc, index);
        source.rtpIndex = index;
        buffer.put(offset + headerLength, packet, headerLength, sealedLength - headerLength);
        return sealedLength;
    }

    /**
     * Turns the compound RTCP packet at {@code offset} into an SRTCP packet at the same place.
     *
     * @return its length in bytes, or a negative {@link SrtpVerdict#code} with nothing changed
     * @throws IndexOutOfBoundsException unless the buffer has {@link #rtcpOverhead} bytes of room
     */
    public int protectRtcp(ByteBuffer buffer, int offset, int length) {
        if (length < SrtpPackets.RTCP_HEADER_LENGTH
                || !SrtpPackets.isVersion2(buffer.get(offset))) {
            return SrtpVerdict.MALFORMED.code();
        }
        if (length + rtcpOverhead > SrtpPackets.MAX_LENGTH) {
            return SrtpVerdict.TOO_LONG.code();
        }
        int ssrc = buffer.getInt(offset + SrtpPackets.RTCP_SSRC_AT);
        Source source = source(ssrc);
        if (source == null) {
            return SrtpVerdict.TOO_MANY_SOURCES.code();
        }
        if (source.rtcpIndex == MAX_RTCP_INDEX) {
            return SrtpVerdict.KEYS_EXHAUSTED.code();
        }
        buffer.get(offset, packet, 0, length);
        int sealedLength = transform.sealRtcp(packet, length, ssrc, ++source.rtcpIndex);
        int headerLength = SrtpPackets.RTCP_HEADER_LENGTH;
        buffer.put(offset + headerLength, packet, headerLength, sealedLength - headerLength);
        return sealedLength;
    }

    private @Nullable Source source(int ssrc) {
        for (int i = 0; i < sourceCount; i++) {
            if (sources[i].ssrc == ssrc) {
                return sources[i];
            }
        }
        if (sourceCount == MAX_SOURCES) {
            return null;
        }
        Source source = new Source(ssrc);
        sources[sourceCount++] = source;
        return source;
    }

    /** How far one of our own sources has come. */
    private static final class Source {
        final int ssrc;
        long rtpIndex = -1;

        // RFC 3711 3.4: zero before the first packet, then counted up before each.
        int rtcpIndex;

        Source(int ssrc) {
            this.ssrc = ssrc;
        }

        long nextRtpIndex(int sequenceNumber) {
            return rtpIndex < 0
                    ? sequenceNumber
                    : rtpIndex + (short) (sequenceNumber - (int) rtpIndex);
        }
    }
}
