package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.Codes.Cause;
import dev.parley.rtc.sctp.Codes.Chunk;
import java.nio.charset.StandardCharsets;

/**
 * Writes the chunks that answer what a peer has sent, and the one that ends it all. Owned by an
 * association.
 */
final class Answers {
    private static final int MAX_REASON_BYTES = 128;

    private final ControlChunks control;
    private final int chunkBytes;

    /**
     * @param packetBytes longest packet
     */
    Answers(ControlChunks control, int packetBytes) {
        this.control = control;
        this.chunkBytes = packetBytes - PacketReader.HEADER_LENGTH;
    }

    // RFC 9260 3.3.7
    void abort(int peerTag, int cause, String detail) {
        byte[] text = detail.getBytes(StandardCharsets.UTF_8);
        PacketWriter packet = control.begin();
        packet.chunk(Chunk.ABORT, 0).tlv(cause);
        packet.raw(text, 0, Math.min(text.length, MAX_REASON_BYTES)).endTlv().endChunk();
        control.sendAlone(peerTag);
    }

    /** RFC 9260 3.3.10.6, with as much of the chunk as fits. */
    void unrecognizedChunk(PacketReader chunk) {
        int room = chunkBytes - 8;
        PacketWriter packet = control.begin();
        packet.chunk(Chunk.ERROR, 0).tlv(Cause.UNRECOGNIZED_CHUNK);
        packet.raw(chunk.bytes(), chunk.chunkAt(), Math.min(chunk.chunkLength(), room));
        packet.endTlv().endChunk();
        control.send();
    }

    /** RFC 9260 3.3.10.1 to DATA on a stream that there is not. */
    void invalidStream(PacketReader data) {
        PacketWriter packet = control.begin();
        packet.chunk(Chunk.ERROR, 0).tlv(Cause.INVALID_STREAM);
        packet.u16(Wire.u16(data.bytes(), data.valueAt() + 4)).u16(0);
        packet.endTlv().endChunk();
        control.send();
    }

    /** RFC 9260 8.3; false when the heartbeat is longer than any that we could send back. */
    boolean heartbeat(PacketReader heartbeat) {
        if (heartbeat.chunkLength() > chunkBytes) {
            return false;
        }
        PacketWriter packet = control.begin();
        packet.chunk(Chunk.HEARTBEAT_ACK, 0);
        packet.raw(heartbeat.bytes(), heartbeat.valueAt(), heartbeat.valueLength()).endChunk();
        control.send();
        return true;
    }

    // RFC 9260 9.2
    void shutdownComplete(int peerTag) {
        control.begin().chunk(Chunk.SHUTDOWN_COMPLETE, 0).endChunk();
        control.sendAlone(peerTag);
    }
}
