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
        /** A receive call failed for another reason than that nothing waited. */
        RECEIVE_ERROR,
        /** The peer answered ICMP port unreachable (ECONNREFUSED). */
        PEER_UNREACHABLE,
        /** The socket's or the interface's send buffer was full (EAGAIN, ENOBUFS). */
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

    public long count(Reason reason) {
        return counts.getAcquire(reason.ordinal());
    }
}
