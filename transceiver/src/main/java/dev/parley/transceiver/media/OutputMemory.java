package dev.parley.transceiver.media;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what all sessions of a process together hold of output that waits for its time. Shared by
 * all threads; each session's {@link Backlog} adds and subtracts.
 */
public final class OutputMemory {
    /** Of what is left one session may have a quarter, so that however many want more, some is. */
    private static final int SHARE = 4;

    private final long maxBytes;
    private final long maxSessionBytes;
    private final AtomicLong bytes = new AtomicLong();

    /**
     * @param maxBytes for all sessions; one that holds more than its sure share, and than a quarter
     *     of what is left of it, reads no more
     * @param maxSessionBytes the same for what one session holds, however much is left
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
        return sessionBytes < Math.min(maxSessionBytes, (maxBytes - bytes.get()) / SHARE);
    }
}
