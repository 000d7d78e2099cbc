package dev.parley.runtime.udp;

/** Linux's numbers for the errors that a UDP socket answers. */
final class Errno {
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EMSGSIZE = 90;
    static final int ENOBUFS = 105;
    static final int ECONNREFUSED = 111;

    private Errno() {}
}
