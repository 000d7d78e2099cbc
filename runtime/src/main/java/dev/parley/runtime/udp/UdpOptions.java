package dev.parley.runtime.udp;

/**
 * How a socket is opened.
 *
 * @param reusePort whether several sockets may share the address (SO_REUSEPORT), the kernel keeping
 *     each flow on one
 * @param receiveBufferBytes SO_RCVBUF asked for; the kernel may grant less
 * @param sendBufferBytes SO_SNDBUF asked for; the kernel may grant less
 * @param busyPollMicros SO_BUSY_POLL: how long a look for datagrams asks the network device itself;
 *     0 for never, and everywhere but with batched calls
 */
public record UdpOptions(
        boolean reusePort, int receiveBufferBytes, int sendBufferBytes, int busyPollMicros) {
    public UdpOptions(boolean reusePort, int receiveBufferBytes, int sendBufferBytes) {
        this(reusePort, receiveBufferBytes, sendBufferBytes, 0);
    }
}
