package dev.parley.rtc.rtp;

import java.nio.ByteBuffer;

/**
 * Writes one compound RTCP packet after another, RFC 3550 6: {@link #begin}, then a sender or
 * receiver report and its blocks, then a source description, then perhaps a goodbye; {@link
 * #length} tells how much it came to. Each media loop owns one; allocates nothing.
 */
public final class RtcpWriter {
    private static final int VERSION_2 = 0x80;
    private static final int CNAME = 1;
    private static final int TRANSPORT_FEEDBACK = 205;
    private static final int GENERIC_NACK = 1;
    private static final int MAX_REPORTS = 31;

    private ByteBuffer compound = ByteBuffer.allocate(0);
    private int start;
    private int at;
    private int packetAt;

    /** Starts a compound packet at {@code offset}; the buffer must have room for all of it. */
    public RtcpWriter begin(ByteBuffer buffer, int offset) {
        compound = buffer;
        start = offset;
        at = offset;
        return this;
    }

    /**
     * A sender report, RFC 3550 6.4.1, without blocks.
     *
     * @param ntpTimestamp now, by {@link NtpTime#at}
     * @param rtpTimestamp the same instant on the stream's own clock
     * @param packetCount packets sent; its low 32 bits are written
     * @param octetCount payload bytes sent; its low 32 bits are written
     */
    public RtcpWriter senderReport(
            int ssrc, long ntpTimestamp, int rtpTimestamp, long packetCount, long octetCount) {
        openPacket(RtcpType.SENDER_REPORT, 0);
        putInt(ssrc);
        putInt((int) (ntpTimestamp >>> 32));
        putInt((int) ntpTimestamp);
        putInt(rtpTimestamp);
        putInt((int) packetCount);
        putInt((int) octetCount);
        return closePacket();
    }

    /** A receiver report, RFC 3550 6.4.2, without blocks. */
    public RtcpWriter receiverReport(int ssrc) {
        openPacket(RtcpType.RECEIVER_REPORT, 0);
        putInt(ssrc);
        return closePacket();
    }

    /**
     * Adds a block to the report just written.
     *
     * @param ssrc the source that the statistics are about; call {@link
     *     ReceptionStatistics#endInterval} before
     */
    public RtcpWriter report(int ssrc, ReceptionStatistics statistics, long nowNanos) {
        int count = compound.get(packetAt) & 0x1F;
        if (count == MAX_REPORTS || !isReport(compound.get(packetAt + 1) & 0xFF)) {
            throw new IllegalStateException("Only reports have blocks, 31 at most");
        }
        compound.put(packetAt, (byte) (VERSION_2 | (count + 1)));
        putInt(ssrc);
        putInt((statistics.fractionLost() << 24) | (statistics.cumulativeLost() & 0xFF_FFFF));
        putInt(statistics.extendedHighestSequence());
        putInt(statistics.jitter());
        putInt(statistics.lastSenderReport());
        putInt(statistics.delaySinceLastSenderReport(nowNanos));
        return closePacket();
    }

    /**
     * A source description with the canonical name alone, RFC 3550 6.5.1.
     *
     * @param cname at most 255 bytes of UTF-8
     */
    public RtcpWriter sourceDescription(int ssrc, byte[] cname) {
        if (cname.length > 255) {
            throw new IllegalArgumentException("A CNAME has at most 255 bytes");
        }
        openPacket(RtcpType.SOURCE_DESCRIPTION, 1);
        putInt(ssrc);
        compound.put(at, (byte) CNAME);
        compound.put(at + 1, (byte) cname.length);
        compound.put(at + 2, cname);
        at += 2 + cname.length;
        // RFC 3550 6.5: one null octet ends the chunk, more fill the last word.
        do {
            compound.put(at++, (byte) 0);
        } while ((at - packetAt) % Integer.BYTES != 0);
        return closePacket();
    }

    /**
     * An extended report that asks for the round trip, RFC 3611 4.4: for members that send nothing.
     *
     * @param ntpTimestamp now, by {@link NtpTime#at}
     */
    public RtcpWriter referenceTime(int ssrc, long ntpTimestamp) {
        openPacket(RtcpType.EXTENDED_REPORT, 0);
        putInt(ssrc);
        // Block type 4, two words.
        putInt(4 << 24 | 2);
        putInt((int) (ntpTimestamp >>> 32));
        putInt((int) ntpTimestamp);
        return closePacket();
    }

    /**
     * An extended report that answers a receiver reference time, RFC 3611 4.5.
     *
     * @param receiverSsrc who sent it
     * @param lastReceiverReport the middle 32 bits of it
     * @param delay since it came, by {@link NtpTime#shortDuration}
     */
    public RtcpWriter delaySinceLastReceiverReport(
            int ssrc, int receiverSsrc, int lastReceiverReport, int delay) {
        openPacket(RtcpType.EXTENDED_REPORT, 0);
        putInt(ssrc);
        // Block type 5, and three words for one receiver.
        putInt(5 << 24 | 3);
        putInt(receiverSsrc);
        putInt(lastReceiverReport);
        putInt(delay);
        return closePacket();
    }

    /** A goodbye without a reason, RFC 3550 6.6. */
    public RtcpWriter goodbye(int ssrc) {
        openPacket(RtcpType.GOODBYE, 1);
        putInt(ssrc);
        return closePacket();
    }

    /**
     * Asks for packets again, RFC 4585 6.2.1.
     *
     * @param mediaSsrc source of the packets
     * @param sequenceNumber the first of them
     * @param following bit i is set when the packet with number {@code sequenceNumber + i + 1} is
     *     asked for too; the low 16 bits count
     */
    public RtcpWriter nack(int ssrc, int mediaSsrc, int sequenceNumber, int following) {
        openPacket(TRANSPORT_FEEDBACK, GENERIC_NACK);
        putInt(ssrc);
        putInt(mediaSsrc);
        putInt((sequenceNumber << 16) | (following & 0xFFFF));
        return closePacket();
    }

    /** Length in bytes of the compound packet so far. */
    public int length() {
        return at - start;
    }

    private static boolean isReport(int payloadType) {
        RtcpType type = RtcpType.of(payloadType);
        return type == RtcpType.SENDER_REPORT || type == RtcpType.RECEIVER_REPORT;
    }

    private void openPacket(RtcpType type, int count) {
        openPacket(type.payloadType(), count);
    }

    private void openPacket(int payloadType, int count) {
        packetAt = at;
        compound.put(at, (byte) (VERSION_2 | count));
        compound.put(at + 1, (byte) payloadType);
        at += Integer.BYTES;
    }

    private RtcpWriter closePacket() {
        compound.putShort(packetAt + 2, (short) ((at - packetAt) / Integer.BYTES - 1));
        return this;
    }

    private void putInt(int value) {
        compound.putInt(at, value);
        at += Integer.BYTES;
    }
}
