package dev.parley.transceiver.media;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what all sessions of a process together hold of output that waits for its time. Shared by
 * all threads; each session's {@link Backlog} adds and subtracts.
 */
public final class OutputMemory {
    private final long maxBytes;
    private final long maxSessionBytes;
    private final AtomicLong bytes = new AtomicLong();

    /**
     * @param maxBytes with that much held by all sessions, one with more than its sure share reads
     *     no more
     * @param maxSessionBytes the same for what one session holds
     */
    public OutputMemory(long maxBytes, long maxSessionBytes) {
        this.maxBytes = maxBytes;
        this.maxSessionBytes = maxSessionBytes;
    }

    /** Bytes that wait in all sessions. */
    public long bytes() {
        return bytes.get();
    }

    void add(long addedBytes) {
        bytes.addAndGet(addedBytes);
    }

    boolean hasRoomFor(long sessionBytes) {
        return sessionBytes < maxSessionBytes && bytes.get() < maxBytes;
    }
}
