package dev.parley.runtime.udp;

/**
 * How a socket is opened.
 *
 * @param reusePort whether several sockets may share the address (SO_REUSEPORT), the kernel keeping
 *     each flow on one
 * @param receiveBufferBytes SO_RCVBUF asked for; the kernel may grant less
 * @param sendBufferBytes SO_SNDBUF asked for; the kernel may grant less
 */
public record UdpOptions(boolean reusePort, int receiveBufferBytes, int sendBufferBytes) {}
