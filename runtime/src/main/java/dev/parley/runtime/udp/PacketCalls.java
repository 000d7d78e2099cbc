package dev.parley.runtime.udp;

/**
 * The system calls of a packet loop. An interface so that a test can answer every errno; one thread
 * owns each implementation. Addresses are raw, so that calls check and allocate nothing.
 */
interface PacketCalls {
    /**
     * recvmmsg without waiting.
     *
     * @param messages address of {@code count} struct mmsghdr
     * @return messages received, or the negative errno
     */
    int receive(int descriptor, long messages, int count);

    /**
     * sendmmsg without waiting.
     *
     * @param messages address of {@code count} struct mmsghdr
     * @return messages sent, or the negative errno of the first one
     */
    int send(int descriptor, long messages, int count);

    /**
     * epoll_wait with a timeout in nanoseconds, {@code Long.MAX_VALUE} for none.
     *
     * @param events address of room for {@code count} struct epoll_event
     * @return events, or the negative errno
     */
    int await(int epoll, long events, int count, long timeoutNanos);

    /** Takes a timer's count of firings, without which it does not fire again. */
    void takeFirings(int timer);
}
