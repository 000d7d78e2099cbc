package dev.parley.rtc.rtp;

import java.nio.ByteBuffer;

/** Writes RTP headers, RFC 3550 5.1, without CSRCs, extension or padding. */
public final class RtpWriter {
    /** Length in bytes of what {@link #writeHeader} writes. */
    public static final int HEADER_LENGTH = RtpReader.FIXED_HEADER_LENGTH;

    private static final int VERSION_2 = 0x80;
    private static final int MARKER = 0x80;

    private RtpWriter() {}

    /**
     * Writes a header at {@code offset}; the payload goes behind it.
     *
     * @param payloadType 0 to 127
     * @param sequenceNumber its low 16 bits are written
     */
    public static void writeHeader(
            ByteBuffer buffer,
            int offset,
            boolean marker,
            int payloadType,
            int sequenceNumber,
            int timestamp,
            int ssrc) {
        buffer.put(offset, (byte) VERSION_2);
        buffer.put(offset + 1, (byte) (marker ? MARKER | payloadType : payloadType));
        buffer.putShort(offset + 2, (short) sequenceNumber);
        buffer.putInt(offset + 4, timestamp);
        buffer.putInt(offset + 8, ssrc);
    }
}
