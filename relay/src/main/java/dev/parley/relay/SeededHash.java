package dev.parley.relay;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * A keyed hash for tables whose keys strangers choose: without the seed nobody can tell which keys
 * collide. Immutable; allocates nothing.
 */
final class SeededHash {
    private final long first;
    private final long second;
    private final long third;
    private final long fourth;

    SeededHash(RandomGenerator random) {
        first = random.nextLong();
        second = random.nextLong();
        third = random.nextLong();
        fourth = random.nextLong() | 1;
    }

    long of(long a, long b, long c) {
        return fold(fold(a ^ first, b ^ second) ^ third, c ^ fourth);
    }

    /** Hashes bytes of a big-endian buffer; never 0, which may stand for "none". */
    long of(ByteBuffer bytes, int offset, int length) {
        long hash = first ^ length;
        int at = offset;
        int end = offset + length;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            hash = fold(hash ^ bytes.getLong(at), second) ^ third;
        }
        long tail = 0;
        for (; at < end; at++) {
            tail = (tail << 8) | (bytes.get(at) & 0xFF);
        }
        hash = fold(hash ^ tail, fourth);
        return hash == 0 ? 1 : hash;
    }

    // Both halves of the 128-bit product: every bit of one factor reaches every bit of the result.
    private static long fold(long a, long b) {
        return (a * b) ^ Math.unsignedMultiplyHigh(a, b);
    }
}
