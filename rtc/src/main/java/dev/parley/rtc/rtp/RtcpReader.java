package dev.parley.rtc.rtp;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.IntConsumer;

/**
 * Read-only view of a compound RTCP packet, RFC 3550 6. Each media loop owns one and re-points it
 * per datagram, so reading allocates nothing.
 *
 * <p>{@link #wrap} checks the lengths of every packet in the compound; then {@link #next} steps
 * through them, and the accessors that fit the packet's {@link #type} may be called.
 */
public final class RtcpReader {
    private static final int HEADER_LENGTH = 4;
    private static final int REPORTS_AT_IN_SENDER_REPORT = 28;
    private static final int REPORTS_AT_IN_RECEIVER_REPORT = 8;
    private static final int REPORT_LENGTH = 24;
    private static final int FEEDBACK_AT = 12;
    private static final int BLOCKS_AT = 8;
    private static final int GENERIC_NACK = 1;

    /** Packets that an entry of a NACK may name behind its first. */
    private static final int NACK_SPAN = 16;

    private static final int RECEIVER_REFERENCE_TIME = 4;
    private static final int RECEIVER_REFERENCE_TIME_WORDS = 2;

    private ByteBuffer compound = ByteBuffer.allocate(HEADER_LENGTH);
    private int end;
    private int nextAt;
    private int at;
    private RtcpType type = RtcpType.OTHER;

    /**
     * Answers false, with nothing to step through, unless the bytes are one whole compound packet.
     * Any packet may come first, since RFC 5506 allows feedback to travel alone.
     */
    public boolean wrap(ByteBuffer buffer, int offset, int length) {
        compound = buffer;
        nextAt = offset;
        end = offset + length;
        while (nextAt < end) {
            if (!isWhole(nextAt)) {
                end = nextAt;
                return false;
            }
            nextAt += lengthAt(nextAt);
        }
        nextAt = offset;
        return length > 0;
    }

    /** Steps to the next packet; false when there is none left. */
    public boolean next() {
        if (nextAt >= end) {
            return false;
        }
        at = nextAt;
        nextAt += lengthAt(at);
        type = typeAt(at);
        return true;
    }

    // RFC 3550 A.2: version 2, lengths that add up, padding in the last packet only.
    private boolean isWhole(int packetAt) {
        if (end - packetAt < HEADER_LENGTH || (compound.get(packetAt) & 0xC0) != 0x80) {
            return false;
        }
        int packetEnd = packetAt + lengthAt(packetAt);
        if (packetEnd > end) {
            return false;
        }
        int contentLength = packetEnd - packetAt;
        if ((compound.get(packetAt) & 0x20) != 0) {
            int padding = compound.get(packetEnd - 1) & 0xFF;
            if (packetEnd != end || padding == 0) {
                return false;
            }
            contentLength -= padding;
        }
        return contentLength >= minimumLength(packetAt);
    }

    private int minimumLength(int packetAt) {
        int count = countAt(packetAt);
        return switch (typeAt(packetAt)) {
            case SENDER_REPORT -> REPORTS_AT_IN_SENDER_REPORT + count * REPORT_LENGTH;
            case RECEIVER_REPORT -> REPORTS_AT_IN_RECEIVER_REPORT + count * REPORT_LENGTH;
            case GOODBYE -> HEADER_LENGTH + count * Integer.BYTES;
            case TRANSPORT_FEEDBACK -> FEEDBACK_AT;
            case EXTENDED_REPORT -> BLOCKS_AT;
            case SOURCE_DESCRIPTION, OTHER -> HEADER_LENGTH;
        };
    }

    public RtcpType type() {
        return type;
    }

    /** Of a sender or receiver report. */
    public int senderSsrc() {
        return compound.getInt(at + 4);
    }

    /** Of a sender report. */
    public long ntpTimestamp() {
        return compound.getLong(at + 8);
    }

    /** Of a sender report. */
    public int rtpTimestamp() {
        return compound.getInt(at + 16);
    }

    /** Of a sender report: packets sent, 0 to 2^32 - 1. */
    public long packetCount() {
        return compound.getInt(at + 20) & 0xFFFF_FFFFL;
    }

    /** Of a sender report: payload bytes sent, 0 to 2^32 - 1. */
    public long octetCount() {
        return compound.getInt(at + 24) & 0xFFFF_FFFFL;
    }

    /** Report blocks in a sender or receiver report, 0 to 31. */
    public int reportCount() {
        return countAt(at);
    }

    /** The source that report block {@code i} is about. */
    public int reportSsrc(int i) {
        return compound.getInt(reportAt(i));
    }

    /** Loss in the last interval, in 256ths. */
    public int fractionLost(int i) {
        return compound.get(reportAt(i) + 4) & 0xFF;
    }

    /** Packets lost since the start; negative when duplicates outnumber them. */
    public int cumulativeLost(int i) {
        return compound.getInt(reportAt(i) + 4) << 8 >> 8;
    }

    /** Cycles in the high 16 bits, highest sequence number received in the low 16. */
    public int extendedHighestSequence(int i) {
        return compound.getInt(reportAt(i) + 8);
    }

    /** Interarrival jitter in timestamp units, 0 to 2^32 - 1. */
    public long jitter(int i) {
        return compound.getInt(reportAt(i) + 12) & 0xFFFF_FFFFL;
    }

    /** LSR: for {@link NtpTime#roundTripNanos}. */
    public int lastSenderReport(int i) {
        return compound.getInt(reportAt(i) + 16);
    }

    /** DLSR: for {@link NtpTime#roundTripNanos}. */
    public int delaySinceLastSenderReport(int i) {
        return compound.getInt(reportAt(i) + 20);
    }

    /** Sources that a goodbye names, 0 to 31. */
    public int goodbyeCount() {
        return countAt(at);
    }

    /** A source that leaves. */
    public int goodbyeSsrc(int i) {
        return compound.getInt(at + HEADER_LENGTH + Objects.checkIndex(i, countAt(at)) * 4);
    }

    /** Whether transport feedback asks for packets again, RFC 4585 6.2.1. */
    public boolean isNack() {
        return type == RtcpType.TRANSPORT_FEEDBACK && countAt(at) == GENERIC_NACK;
    }

    /** Of feedback: the source that it is about. */
    public int mediaSsrc() {
        return compound.getInt(at + 8);
    }

    /** Entries of a NACK, each of up to 17 packets. */
    public int nackCount() {
        return (contentEnd() - at - FEEDBACK_AT) / Integer.BYTES;
    }

    /** The first packet that entry {@code i} of a NACK asks for. */
    public int nackSequence(int i) {
        return compound.getShort(nackAt(i)) & 0xFFFF;
    }

    /** Bit k is set when entry {@code i} asks for the packet k + 1 behind its first as well. */
    public int nackFollowing(int i) {
        return compound.getShort(nackAt(i) + 2) & 0xFFFF;
    }

    /** Tells each packet that a NACK asks for. */
    public void nacked(IntConsumer asked) {
        for (int i = 0; i < nackCount(); i++) {
            int first = nackSequence(i);
            asked.accept(first);
            int following = nackFollowing(i);
            for (int k = 0; k < NACK_SPAN; k++) {
                if ((following >> k & 1) != 0) {
                    asked.accept(first + k + 1 & 0xFFFF);
                }
            }
        }
    }

    private int nackAt(int i) {
        return at + FEEDBACK_AT + Objects.checkIndex(i, nackCount()) * Integer.BYTES;
    }

    /**
     * Of an extended report: the middle 32 bits of the NTP time that a receiver wants to have
     * answered (RFC 3611 4.4), or 0 when there is none.
     */
    public int receiverReferenceTime() {
        int end = contentEnd();
        int block = at + BLOCKS_AT;
        // RFC 3611 3: block type, type-specific byte, length in words behind this one.
        while (block + Integer.BYTES <= end) {
            int words = compound.getShort(block + 2) & 0xFFFF;
            int next = block + (words + 1) * Integer.BYTES;
            if (next > end) {
                return 0;
            }
            if ((compound.get(block) & 0xFF) == RECEIVER_REFERENCE_TIME
                    && words == RECEIVER_REFERENCE_TIME_WORDS) {
                return NtpTime.middle(compound.getLong(block + Integer.BYTES));
            }
            block = next;
        }
        return 0;
    }

    private int contentEnd() {
        int packetEnd = at + lengthAt(at);
        boolean padded = (compound.get(at) & 0x20) != 0;
        return padded ? packetEnd - (compound.get(packetEnd - 1) & 0xFF) : packetEnd;
    }

    private int reportAt(int i) {
        int reportsAt =
                type == RtcpType.SENDER_REPORT
                        ? REPORTS_AT_IN_SENDER_REPORT
                        : REPORTS_AT_IN_RECEIVER_REPORT;
        return at + reportsAt + Objects.checkIndex(i, countAt(at)) * REPORT_LENGTH;
    }

    private int lengthAt(int packetAt) {
        return ((compound.getShort(packetAt + 2) & 0xFFFF) + 1) * Integer.BYTES;
    }

    private int countAt(int packetAt) {
        return compound.get(packetAt) & 0x1F;
    }

    private RtcpType typeAt(int packetAt) {
        return RtcpType.of(compound.get(packetAt + 1) & 0xFF);
    }
}
