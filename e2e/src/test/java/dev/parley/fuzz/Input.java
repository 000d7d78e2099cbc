package dev.parley.fuzz;

import java.nio.ByteBuffer;

/** What targets do with the bytes that they are given, and what they demand. */
final class Input {
    /** Where the bytes begin in {@link #placed}. */
    static final int OFFSET = 5;

    private Input() {}

    /**
     * The bytes in the middle of a buffer that ends with them, so that reading past them throws.
     */
    static ByteBuffer placed(byte[] bytes) {
        return ByteBuffer.allocate(OFFSET + bytes.length).put(OFFSET, bytes);
    }

    static void demand(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    static void demandWithin(int at, int length, int end, String what) {
        demand(at >= OFFSET && length >= 0 && at + length <= end, what + " leaves the packet");
    }
}
