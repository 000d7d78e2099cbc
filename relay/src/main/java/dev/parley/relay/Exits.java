package dev.parley.relay;

/**
 * The sockets of a worker that datagrams go out by, by number: public ones from 0 on in their
 * order, and these.
 */
final class Exits {
    /** The socket towards transceivers. */
    static final int UPSTREAM = -1;

    /** The socket towards other clusters' relays. */
    static final int LEG = -2;

    private Exits() {}
}
