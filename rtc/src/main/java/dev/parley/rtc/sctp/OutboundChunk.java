package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.Codes.Chunk;

/** One fragment of a message with its TSN, until it is acknowledged or given up. */
final class OutboundChunk {
    /** Where a chunk stands. */
    enum State {
        IN_FLIGHT,
        /** To be sent again. */
        LOST,
        /** By a gap ack block, which the peer may take back. */
        ACKED,
        ABANDONED
    }

    private final long tsn;
    private final OutboundMessage message;
    private final int offset;
    private final int length;
    private final int fragment;
    State state = State.IN_FLIGHT;

    /** Times sent. */
    int transmissions;

    /** RFC 9260 7.2.4: SACKs that told it missing. */
    int misses;

    long sentNanos;

    /** Highest TSN sent when this was last sent; an ack beyond it says that this was lost. */
    long sentBefore;

    OutboundChunk(long tsn, OutboundMessage message, int length) {
        this.tsn = tsn;
        this.message = message;
        this.length = length;
        this.fragment = message.nextFragment();
        this.offset = message.cut(length);
    }

    long tsn() {
        return tsn;
    }

    OutboundMessage message() {
        return message;
    }

    int payloadLength() {
        return length;
    }

    /** Whether it ends its message. */
    boolean isLast() {
        return offset + length == message.payload().length;
    }

    /** What it takes of a packet. */
    int wireLength(boolean interleaved) {
        return Wire.padded(
                length + (interleaved ? InboundData.I_DATA_HEADER : InboundData.DATA_HEADER));
    }

    // RFC 9260 3.3.1 and RFC 8260 2.1
    void write(PacketWriter packet, boolean interleaved) {
        boolean begins = offset == 0;
        int flags = (isLast() ? 1 : 0) | (begins ? 2 : 0) | (message.unordered() ? 4 : 0);
        packet.chunk(interleaved ? Chunk.I_DATA : Chunk.DATA, flags);
        packet.i32((int) tsn).u16(message.streamId());
        if (interleaved) {
            packet.u16(0).i32(message.number()).i32(begins ? message.ppid() : fragment);
        } else {
            packet.u16(message.number()).i32(message.ppid());
        }
        packet.raw(message.payload(), offset, length);
        packet.endChunk();
    }
}
