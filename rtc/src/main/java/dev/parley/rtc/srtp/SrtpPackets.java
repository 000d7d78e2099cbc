package dev.parley.rtc.srtp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Offsets and lengths in protected packets, RFC 3711 3.1 and 3.4. */
final class SrtpPackets {
    /** Longest packet in bytes, protected or not: above every MTU that we meet. */
    static final int MAX_LENGTH = 2048;

    /** The first header and the sender's SSRC, which stay readable in SRTCP. */
    static final int RTCP_HEADER_LENGTH = 8;

    static final int RTCP_SSRC_AT = 4;
    static final int RTP_SEQUENCE_AT = 2;
    static final int RTP_SSRC_AT = 8;

    /** The E bit. */
    static final int ENCRYPTED = 0x8000_0000;

    private static final int RTP_FIXED_HEADER_LENGTH = 12;
    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private SrtpPackets() {}

    /**
     * Length in bytes of the part of an RTP packet that is never encrypted: fixed header, CSRCs and
     * header extension. Negative when the packet does not hold it.
     */
    static int rtpHeaderLength(ByteBuffer buffer, int offset, int length) {
        if (length < RTP_FIXED_HEADER_LENGTH || !isVersion2(buffer.get(offset))) {
            return -1;
        }
        int first = buffer.get(offset);
        int headerLength = RTP_FIXED_HEADER_LENGTH + (first & 0x0F) * Integer.BYTES;
        if ((first & 0x10) != 0) {
            if (length < headerLength + Integer.BYTES) {
                return -1;
            }
            int words = buffer.getShort(offset + headerLength + 2) & 0xFFFF;
            headerLength += Integer.BYTES + words * Integer.BYTES;
        }
        return length < headerLength ? -1 : headerLength;
    }

    static boolean isVersion2(byte first) {
        return (first & 0xC0) == 0x80;
    }

    static int shortAt(byte[] bytes, int offset) {
        return (short) SHORTS.get(bytes, offset);
    }

    static long longAt(byte[] bytes, int offset) {
        return (long) LONGS.get(bytes, offset);
    }

    static void putInt(byte[] bytes, int offset, int value) {
        INTS.set(bytes, offset, value);
    }
}
