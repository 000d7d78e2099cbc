package dev.parley.rtc.route;

import java.nio.ByteBuffer;

/**
 * SipHash-2-4 (Aumasson and Bernstein, 2012), a keyed 64-bit code for short messages, for one key.
 * Immutable; hashing allocates nothing, so any thread may use it on a packet's way.
 */
final class SipHash {
    private final long keyLow;
    private final long keyHigh;

    /**
     * @param key 16 bytes
     */
    SipHash(byte[] key) {
        ByteBuffer bytes = ByteBuffer.wrap(key);
        keyLow = Long.reverseBytes(bytes.getLong(0));
        keyHigh = Long.reverseBytes(bytes.getLong(8));
    }

    /**
     * The code of some bytes.
     *
     * @param bytes big-endian; only absolute reads
     */
    long of(ByteBuffer bytes, int offset, int length) {
        long v0 = 0x736f6d6570736575L ^ keyLow;
        long v1 = 0x646f72616e646f6dL ^ keyHigh;
        long v2 = 0x6c7967656e657261L ^ keyLow;
        long v3 = 0x7465646279746573L ^ keyHigh;
        int end = offset + (length & -Long.BYTES);
        // The words, then one round more of the same for the rest: bytes that are left, and the
        // length above them. Then four rounds to finish (2.2 and 2.3 of the paper).
        for (int at = offset; at <= end; at += Long.BYTES) {
            long word = at < end ? Long.reverseBytes(bytes.getLong(at)) : last(bytes, at, length);
            v3 ^= word;
            for (int round = 0; round < 2; round++) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= word;
        }
        v2 ^= 0xFF;
        for (int round = 0; round < 4; round++) {
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private static long last(ByteBuffer bytes, int at, int length) {
        long word = (long) length << 56;
        for (int i = 0; i < (length & 7); i++) {
            word |= (bytes.get(at + i) & 0xFFL) << (8 * i);
        }
        return word;
    }
}
