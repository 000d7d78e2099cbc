package dev.parley.rtc.sctp;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * What waits to be sent beside DATA: whole packets with a tag of their own, and chunks for the next
 * packet. Bounded, since a peer can ask for answers faster than they leave. Owned by an
 * association.
 */
final class ControlChunks {
    private static final int MAX_PACKETS = 8;
    private static final int MAX_CHUNKS = 16;

    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    record Packet(int verificationTag, byte[] chunk) {}

    private final ArrayDeque<Packet> packets = new ArrayDeque<>();
    private final ArrayDeque<byte[]> chunks = new ArrayDeque<>();
    private final SctpCounters counters;
    private final byte[] scratch;
    private final PacketWriter writer = new PacketWriter();

    ControlChunks(int packetBytes, SctpCounters counters) {
        this.scratch = new byte[packetBytes];
        this.counters = counters;
    }

    /** For writing one chunk, to be handed to {@link #send} or {@link #sendAlone}. */
    PacketWriter begin() {
        writer.begin(scratch, 0, scratch.length, 0, 0, 0);
        return writer;
    }

    private byte[] written() {
        int length = writer.finish(true);
        return Arrays.copyOfRange(scratch, PacketReader.HEADER_LENGTH, length);
    }

    /** Sends the chunk just written in a packet of its own. */
    void sendAlone(int verificationTag) {
        if (packets.size() >= MAX_PACKETS) {
            counters.drop(SctpDrop.ANSWERS_FULL);
            return;
        }
        packets.add(new Packet(verificationTag, written()));
    }

    /** Sends the chunk just written in the next packet of the association. */
    void send() {
        if (chunks.size() >= MAX_CHUNKS) {
            counters.drop(SctpDrop.ANSWERS_FULL);
            return;
        }
        chunks.add(written());
    }

    boolean hasPacket() {
        return !packets.isEmpty();
    }

    Packet nextPacket() {
        return packets.removeFirst();
    }

    boolean hasChunk() {
        return !chunks.isEmpty();
    }

    /** Copies the chunks that fit into a packet. */
    void copyTo(PacketWriter packet) {
        while (!chunks.isEmpty() && chunks.getFirst().length <= packet.room()) {
            packet.copyChunk(chunks.removeFirst());
        }
    }

    void clear() {
        packets.clear();
        chunks.clear();
    }
}
