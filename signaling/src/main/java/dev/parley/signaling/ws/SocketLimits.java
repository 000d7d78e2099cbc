package dev.parley.signaling.ws;

import java.time.Duration;

/**
 * What WebSockets may do.
 *
 * @param maxMessageBytes of a client; a sideband's may be as long as a data channel's
 * @param unreachableAfter how long a call whose transceiver is silent is taken for alive
 * @param idle how long nothing may come, answers to pings included
 */
public record SocketLimits(int maxMessageBytes, Duration unreachableAfter, Duration idle) {
    private static final int PINGS = 4;

    /** So that who is there is never idle. */
    Duration pingPeriod() {
        return idle.dividedBy(PINGS);
    }
}
