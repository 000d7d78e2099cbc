package dev.parley.rtc.sctp;

/**
 * Writes one packet, chunk by chunk, into its owner's buffer. The owner asks {@link #room} before
 * it adds a chunk.
 */
final class PacketWriter {
    private byte[] bytes = new byte[0];
    private int start;
    private int limit;
    private int at;
    private int chunkAt;
    private int tlvAt;
    private int tlvEnd;
    private int chunks;

    /** Begins a packet of at most {@code limitBytes}. */
    void begin(
            byte[] into,
            int offset,
            int limitBytes,
            int sourcePort,
            int destinationPort,
            int verificationTag) {
        bytes = into;
        start = offset;
        limit = offset + limitBytes;
        chunks = 0;
        Wire.put16(bytes, start, sourcePort);
        Wire.put16(bytes, start + 2, destinationPort);
        Wire.put32(bytes, start + 4, verificationTag);
        Wire.put32(bytes, start + 8, 0);
        at = start + PacketReader.HEADER_LENGTH;
    }

    /** Bytes that are left for chunks, their headers included. */
    int room() {
        return limit - at;
    }

    int chunks() {
        return chunks;
    }

    PacketWriter chunk(int type, int flags) {
        chunkAt = at;
        tlvEnd = 0;
        bytes[at] = (byte) type;
        bytes[at + 1] = (byte) flags;
        at += PacketReader.CHUNK_HEADER_LENGTH;
        return this;
    }

    PacketWriter u16(int value) {
        Wire.put16(bytes, at, value);
        at += 2;
        return this;
    }

    PacketWriter i32(int value) {
        Wire.put32(bytes, at, value);
        at += 4;
        return this;
    }

    PacketWriter i64(long value) {
        Wire.put64(bytes, at, value);
        at += 8;
        return this;
    }

    PacketWriter raw(byte[] from, int offset, int length) {
        System.arraycopy(from, offset, bytes, at, length);
        at += length;
        return this;
    }

    /** Begins a parameter or error cause in the chunk. */
    PacketWriter tlv(int type) {
        tlvAt = at;
        Wire.put16(bytes, at, type);
        at += TlvReader.HEADER_LENGTH;
        return this;
    }

    PacketWriter endTlv() {
        Wire.put16(bytes, tlvAt + 2, at - tlvAt);
        tlvEnd = at;
        pad();
        return this;
    }

    void endChunk() {
        // RFC 9260 3.2: the length counts padding of parameters, but not of the last.
        boolean endsWithTlv = tlvEnd > chunkAt && Wire.padded(tlvEnd - start) == at - start;
        Wire.put16(bytes, chunkAt + 2, (endsWithTlv ? tlvEnd : at) - chunkAt);
        pad();
        chunks++;
    }

    /** Copies a chunk that was written before. */
    void copyChunk(byte[] chunk) {
        raw(chunk, 0, chunk.length);
        pad();
        chunks++;
    }

    private void pad() {
        while ((at - start & 3) != 0) {
            bytes[at++] = 0;
        }
    }

    /**
     * Ends the packet and answers its length.
     *
     * @param zeroChecksum RFC 9653: leave the checksum to the layer below
     */
    int finish(boolean zeroChecksum) {
        int length = at - start;
        if (!zeroChecksum) {
            Wire.put32(bytes, start + 8, Checksum.of(bytes, start, length));
        }
        return length;
    }
}
