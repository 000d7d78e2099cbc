package dev.parley.rtc.dtls;

import dev.parley.rtc.srtp.SrtpKeys;

/**
 * Hears of a client's SRTP keys when its last flight has left, one round trip before the server's
 * Finished: the false start of RFC 7918, for media. Whoever runs the handshake implements it.
 *
 * <p>The server is known by then: its certificate is the one of its offer, and has signed the key
 * exchange. What nobody has vouched for yet is that the hellos arrived as they were sent. RFC 7918
 * 4 asks for suites that are strong whatever an attacker has made of them, and only such are ever
 * offered here; and with the extended master secret (RFC 7627) keys differ as soon as one byte of a
 * hello does, so that nobody can read what goes out. What comes in must not be taken before the
 * handshake is done.
 */
@FunctionalInterface
public interface FalseStart {
    /** For owners whose media waits for the end. */
    FalseStart NONE = (_, _) -> {};

    /**
     * Packets under these keys may go out, behind the flight that was sent last. Called once at
     * most, on the handshake's thread.
     */
    void keyed(SrtpKeys sendKeys, SrtpKeys receiveKeys);
}
