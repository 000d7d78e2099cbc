package dev.parley.runtime.udp;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts per socket what the operating system refused, by reason. One thread writes, any thread
 * reads.
 */
public final class UdpCounters {
    /** Closed set of reasons. */
    public enum Reason {
        /** A received datagram was longer than a slot. */
        RECEIVE_TRUNCATED,
        /** The kernel dropped a datagram because the socket's receive buffer was full. */
        RECEIVE_QUEUE_FULL,
        /** A receive call failed for another reason than that nothing waited. */
        RECEIVE_ERROR,
        /** The peer answered ICMP port unreachable (ECONNREFUSED). */
        PEER_UNREACHABLE,
        /**
         * The interface's queue was full (ENOBUFS); for the socket's own see {@link UdpPort#send}.
         */
        SEND_BUFFER_FULL,
        /** A datagram was longer than the path allows (EMSGSIZE). */
        SEND_TOO_LONG,
        /** A send call failed for another reason. */
        SEND_ERROR
    }

    private final AtomicLongArray counts = new AtomicLongArray(Reason.values().length);

    /** Adds one; only the owning thread. */
    public void increment(Reason reason) {
        // Single writer: a plain read and an ordered write are enough.
        counts.setRelease(reason.ordinal(), counts.getPlain(reason.ordinal()) + 1);
    }

    /** Takes over a count that the kernel keeps; only the owning thread. */
    void set(Reason reason, long count) {
        counts.setRelease(reason.ordinal(), count);
    }

    public long count(Reason reason) {
        return counts.getAcquire(reason.ordinal());
    }
}
