package dev.parley.runtime.udp;

import java.net.InetSocketAddress;

/**
 * One bound UDP socket that moves datagrams in batches and never blocks. Owned by the thread that
 * runs its loop; only that thread calls it. A datagram that the operating system refuses is counted
 * in {@link #counters} and never thrown.
 */
public interface UdpPort extends AutoCloseable {
    /** Where the socket is bound, with the port that the system chose when 0 was asked for. */
    InetSocketAddress localAddress();

    /**
     * Receives what waits, at most {@link DatagramBatch#capacity} datagrams into slots 0, 1, ...,
     * each at the slot's headroom. Answers how many; 0 when none waits. Truncated datagrams are
     * counted and left out. Some of what waits may be left for after the next {@link
     * UdpPoller#await}, so a loop awaits (with timeout 0 if it must not wait) once a turn.
     */
    int receive(DatagramBatch batch);

    /**
     * Sends slots {@code from} (included) to {@code to} (excluded) in order. Answers how many slots
     * were dealt with, a refused datagram being dealt with by its counter; fewer than asked when
     * the socket's buffer is full.
     */
    int send(DatagramBatch batch, int from, int to);

    /** SO_RCVBUF as granted, which may be less than asked for. */
    int receiveBufferBytes();

    /** SO_SNDBUF as granted, which may be less than asked for. */
    int sendBufferBytes();

    /**
     * Brings {@link UdpCounters.Reason#RECEIVE_QUEUE_FULL} up to date, where the kernel tells;
     * costs a system call, so loops call it about once a second.
     */
    void countKernelDrops();

    /** The socket's number in this process, for handing it over; negative where that cannot be. */
    default int descriptor() {
        return -1;
    }

    /**
     * Makes datagrams that come from now on pass this socket by: they go to others that share its
     * address. What waits in it stays. For good, and as far as the system can.
     */
    default void leave() {}

    /** What went wrong on this socket so far; written by the owning thread, readable by any. */
    UdpCounters counters();

    @Override
    void close();
}
