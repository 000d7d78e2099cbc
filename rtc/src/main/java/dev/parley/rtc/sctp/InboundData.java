package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.Codes.Chunk;
import java.util.Arrays;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of an association: takes DATA and FORWARD-TSN, and says when a SACK is due.
 * Owned by the association, made when the peer's initial TSN is known.
 *
 * <p>What happens when memory runs out: beyond the window no TSN is taken that is higher than those
 * already there, so the peer has to wait until the owner has taken messages. If the owner has
 * nothing to take, since all that waits are parts of messages, up to twice the window is taken;
 * then the association is aborted, for it could never go on.
 */
final class InboundData {
    /** What became of a chunk. */
    enum Verdict {
        TAKEN,
        DROPPED,
        /** RFC 9260 6.5: to be told by an ERROR; the TSN counts as received. */
        INVALID_STREAM,
        /** RFC 9260 6.2: to be told by an ABORT. */
        NO_USER_DATA,
        OUT_OF_RESOURCE,
        PROTOCOL_VIOLATION
    }

    static final int DATA_HEADER = 16;
    static final int I_DATA_HEADER = 20;

    private static final int ENDS = 1;
    private static final int BEGINS = 2;
    private static final int UNORDERED = 4;
    private static final int IMMEDIATE = 8;

    /** RFC 9260 6.2: at least every second packet. */
    private static final int PACKETS_PER_SACK = 2;

    private final SctpConfig config;
    private final boolean interleaved;
    private final int streams;
    private final SctpCounters counters;
    private final ReceivedTsns tsns;
    private final InboundReassembly reassembly;
    private final Deadline sackDelay = new Deadline();
    private boolean dataInPacket;
    private boolean sackDue;
    private boolean sackWanted;
    private int packetsUnacked;
    private int lastWindow;

    InboundData(
            SctpConfig config,
            int initialTsn,
            boolean interleaved,
            int streams,
            Queue<SctpEvent> events,
            SctpCounters counters) {
        this.config = config;
        this.interleaved = interleaved;
        this.streams = streams;
        this.counters = counters;
        this.tsns = new ReceivedTsns(initialTsn);
        this.reassembly =
                new InboundReassembly(config.maxMessageBytes(), interleaved, events, counters);
        this.lastWindow = config.receiveWindowBytes();
        // The first DATA is acknowledged at once: it gives the peer its first round trip.
        this.packetsUnacked = PACKETS_PER_SACK - 1;
    }

    long cumulativeTsn() {
        return tsns.cumulative();
    }

    long extend(int tsn) {
        return tsns.extend(tsn);
    }

    /** Takes a DATA or I-DATA chunk. */
    Verdict receive(PacketReader chunk) {
        boolean interleavedChunk = chunk.type() == Chunk.I_DATA;
        if (interleavedChunk != interleaved) {
            counters.drop(SctpDrop.WRONG_DATA_KIND);
            return Verdict.PROTOCOL_VIOLATION;
        }
        int header = interleaved ? I_DATA_HEADER : DATA_HEADER;
        if (chunk.chunkLength() < header) {
            counters.drop(SctpDrop.MALFORMED_CHUNK);
            return Verdict.DROPPED;
        }
        if (chunk.chunkLength() == header) {
            counters.drop(SctpDrop.NO_USER_DATA);
            return Verdict.NO_USER_DATA;
        }
        dataInPacket = true;
        sackWanted |= (chunk.flags() & IMMEDIATE) != 0;
        long tsn = tsns.extend(Wire.i32(chunk.bytes(), chunk.valueAt()));
        SctpDrop refusal = refusal(tsn, chunk.chunkLength() - header);
        if (refusal != null) {
            counters.drop(refusal);
            sackWanted = true;
            return refusal == SctpDrop.WINDOW_EXCEEDED && isStuck()
                    ? Verdict.OUT_OF_RESOURCE
                    : Verdict.DROPPED;
        }
        return take(chunk, tsn, header);
    }

    private @Nullable SctpDrop refusal(long tsn, int payloadLength) {
        return switch (tsns.check(tsn)) {
            case DUPLICATE -> SctpDrop.DUPLICATE_DATA;
            case TOO_FAR -> SctpDrop.TOO_MANY_GAPS;
            case NEW -> fits(tsn, payloadLength) ? null : SctpDrop.WINDOW_EXCEEDED;
        };
    }

    private boolean fits(long tsn, int payloadLength) {
        int charged = charged();
        if (charged + payloadLength > 2 * config.receiveWindowBytes()) {
            return false;
        }
        // What fills a gap was granted when it was first sent.
        return tsn <= tsns.highest()
                || charged < config.receiveWindowBytes()
                || reassembly.deliveredBytes() == 0;
    }

    private boolean isStuck() {
        return reassembly.deliveredBytes() == 0;
    }

    private int charged() {
        return reassembly.waitingBytes() + reassembly.deliveredBytes();
    }

    private Verdict take(PacketReader chunk, long tsn, int header) {
        byte[] bytes = chunk.bytes();
        int at = chunk.valueAt();
        int streamId = Wire.u16(bytes, at + 4);
        int flags = chunk.flags();
        boolean begins = (flags & BEGINS) != 0;
        tsns.add(tsn);
        if (streamId >= streams) {
            counters.drop(SctpDrop.INVALID_STREAM);
            return Verdict.INVALID_STREAM;
        }
        // RFC 8260 2.1: the first fragment has the PPID where later ones have their number.
        int fragmentNumber = interleaved && !begins ? Wire.i32(bytes, at + 12) : 0;
        if (interleaved && !begins && fragmentNumber == 0) {
            counters.drop(SctpDrop.BAD_FRAGMENT);
            return Verdict.PROTOCOL_VIOLATION;
        }
        counters.dataTaken();
        reassembly.add(
                tsn,
                new Fragment(
                        streamId,
                        (flags & UNORDERED) != 0,
                        interleaved ? Wire.i32(bytes, at + 8) : Wire.u16(bytes, at + 6),
                        fragmentNumber,
                        Wire.i32(bytes, interleaved ? at + 12 : at + 8),
                        begins,
                        (flags & ENDS) != 0,
                        Arrays.copyOfRange(
                                bytes,
                                chunk.chunkAt() + header,
                                chunk.chunkAt() + chunk.chunkLength())));
        return Verdict.TAKEN;
    }

    /** RFC 3758 3.6 and RFC 8260 2.3.1. */
    Verdict receiveForwardTsn(PacketReader chunk) {
        boolean interleavedChunk = chunk.type() == Chunk.I_FORWARD_TSN;
        if (interleavedChunk != interleaved) {
            counters.drop(SctpDrop.WRONG_DATA_KIND);
            return Verdict.PROTOCOL_VIOLATION;
        }
        int entry = interleaved ? 8 : 4;
        if (chunk.valueLength() < 4 || (chunk.valueLength() - 4) % entry != 0) {
            counters.drop(SctpDrop.MALFORMED_CHUNK);
            return Verdict.DROPPED;
        }
        dataInPacket = true;
        sackWanted = true;
        byte[] bytes = chunk.bytes();
        long skipTo = tsns.extend(Wire.i32(bytes, chunk.valueAt()));
        if (skipTo <= tsns.cumulative()) {
            counters.drop(SctpDrop.OLD_FORWARD_TSN);
            return Verdict.DROPPED;
        }
        tsns.skipTo(skipTo);
        if (!interleaved) {
            reassembly.dropUpTo(skipTo);
        }
        int end = chunk.valueAt() + chunk.valueLength();
        for (int at = chunk.valueAt() + 4; at < end; at += entry) {
            skip(bytes, at);
        }
        return Verdict.TAKEN;
    }

    private void skip(byte[] bytes, int at) {
        int streamId = Wire.u16(bytes, at);
        if (streamId >= streams) {
            return;
        }
        if (!interleaved) {
            reassembly.skipOrdered(streamId, Wire.u16(bytes, at + 2));
            return;
        }
        boolean unordered = (Wire.u16(bytes, at + 2) & 1) != 0;
        int messageNumber = Wire.i32(bytes, at + 4);
        reassembly.dropMessages(streamId, unordered, messageNumber);
        if (!unordered) {
            reassembly.skipOrdered(streamId, messageNumber);
        }
    }

    void reset(int streamId) {
        reassembly.reset(streamId);
    }

    void resetAll() {
        reassembly.resetAll();
    }

    /** The end of a packet: decides whether a SACK is due, RFC 9260 6.2. */
    void packetEnd(long nowNanos) {
        if (!dataInPacket) {
            return;
        }
        dataInPacket = false;
        packetsUnacked++;
        if (sackWanted || tsns.hasGaps() || packetsUnacked >= PACKETS_PER_SACK) {
            sackDue = true;
            sackDelay.stop();
        } else if (!sackDelay.isRunning()) {
            sackDelay.start(nowNanos + config.timers().sackDelayNanos());
        }
    }

    /** The owner has taken a message; a closed window may have opened. */
    void taken(int payloadLength) {
        reassembly.taken(payloadLength);
        int window = windowBytes();
        boolean wasNarrow = lastWindow < config.receiveWindowBytes() / 4;
        boolean isWide = window >= config.receiveWindowBytes() / 2;
        if (wasNarrow && (isWide || reassembly.deliveredBytes() == 0)) {
            sackDue = true;
        }
    }

    void onTimer(long nowNanos) {
        if (sackDelay.isDue(nowNanos)) {
            sackDelay.stop();
            sackDue = true;
        }
    }

    long deadlineOrEarlier(long otherNanos) {
        return sackDelay.orEarlier(otherNanos);
    }

    /** A SACK must leave now. */
    boolean sackDue() {
        return sackDue;
    }

    /** A SACK may leave, if a packet goes anyway. */
    boolean sackPending() {
        return sackDue || sackDelay.isRunning();
    }

    void wantSack() {
        sackDue = true;
    }

    /** What a SACK would grant now. */
    int grantedBytes() {
        return windowBytes();
    }

    void writeSack(PacketWriter packet) {
        lastWindow = windowBytes();
        tsns.writeSack(packet, lastWindow);
        sackDue = false;
        sackWanted = false;
        packetsUnacked = 0;
        sackDelay.stop();
    }

    private int windowBytes() {
        int free = config.receiveWindowBytes() - charged();
        if (free >= config.packetBytes()) {
            return free;
        }
        // Only parts of messages are here: without more of them none will ever be whole.
        return isStuck() ? 2 * config.packetBytes() : 0;
    }
}
