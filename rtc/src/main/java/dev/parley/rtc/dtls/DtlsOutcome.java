package dev.parley.rtc.dtls;

import dev.parley.rtc.srtp.SrtpKeys;

/** How a handshake ended. */
public sealed interface DtlsOutcome {
    /**
     * The peer is who its offer says, and both sides have keys.
     *
     * @param session for application data and for closing; must be read from as long as it lives
     * @param sendKeys what our SRTP packets are protected with
     * @param receiveKeys what the peer's SRTP packets are protected with
     */
    record Connected(DtlsSession session, SrtpKeys sendKeys, SrtpKeys receiveKeys)
            implements DtlsOutcome {}

    /**
     * There is no association; the peer was told by an alert where that was possible.
     *
     * @param message for logs: what was expected and what came
     */
    record Failed(DtlsFailure reason, String message) implements DtlsOutcome {}
}
