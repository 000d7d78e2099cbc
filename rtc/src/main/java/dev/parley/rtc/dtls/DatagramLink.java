package dev.parley.rtc.dtls;

/**
 * How one DTLS association reaches its peer: datagrams in and out, already told apart from STUN and
 * SRTP. The session's owner implements it, usually with a bounded queue between its packet loop and
 * the thread that runs the handshake.
 */
public interface DatagramLink {
    /** What {@link #receive} answers when nothing came in time. */
    int TIMED_OUT = -1;

    /** What {@link #receive} answers once the owner has given the association up. */
    int CLOSED = -2;

    /** Longest datagram in bytes that is sent: fits every path that WebRTC meets. */
    int MTU = 1200;

    /** Bytes that a receiver must have room for: more than any datagram that peers send. */
    int MAX_RECEIVED = 2048;

    /**
     * Waits for the next datagram.
     *
     * @param waitMillis the longest wait; 0 waits without end or, where the owner hands datagrams
     *     in by itself, not at all
     * @return its length in bytes, {@link #TIMED_OUT} or {@link #CLOSED}
     */
    int receive(byte[] buffer, int offset, int length, int waitMillis);

    /**
     * Sends a datagram of at most {@link #MTU} bytes, or drops it; must not block. The bytes may be
     * overwritten after the call.
     */
    void send(byte[] bytes, int offset, int length);
}
