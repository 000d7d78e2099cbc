package dev.parley.runtime.udp;

import java.net.InetSocketAddress;

/** Opens the sockets of one loop and waits for any of them. Owned by the loop's thread. */
public interface UdpPoller extends AutoCloseable {
    /**
     * Binds a socket whose arrival ends {@link #await}.
     *
     * @param local address and port to bind; port 0 lets the system choose
     * @param options buffer sizes and sharing
     * @throws UdpBindException when the address cannot be bound; its message names address and
     *     reason
     */
    UdpPort bind(InetSocketAddress local, UdpOptions options);

    /**
     * Takes a bound socket that another process of this machine has opened and handed over; its
     * arrival ends {@link #await} too.
     *
     * @throws UdpBindException when it is no such socket
     * @throws UnsupportedOperationException where sockets cannot be handed over
     */
    default UdpPort adopt(int descriptor) {
        throw new UnsupportedOperationException("sockets cannot be handed over here");
    }

    /**
     * Waits until a datagram waits on any of its sockets, {@link #wakeup} is called, or the time is
     * up. A timeout of 0 or less looks without waiting, {@code Long.MAX_VALUE} waits without limit.
     */
    void await(long timeoutNanos);

    /**
     * Waits as {@link #await} does, but for {@link #wakeup} alone if it can, whatever datagrams
     * come: for a loop that would rather find several at a time than be woken for each. Every
     * socket is worth a look then.
     */
    default void pause(long nanos) {
        await(nanos);
    }

    /**
     * Ends an {@link #await} at least this often from now on, for a loop with coarse timers: one
     * timer of the system's costs less than a timeout with every wait. 0 ends that.
     */
    void wakeEvery(long intervalNanos);

    /** Ends the current or the next {@link #await} or {@link #pause}. Any thread may call it. */
    void wakeup();

    @Override
    void close();
}
