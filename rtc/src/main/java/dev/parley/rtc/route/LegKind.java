package dev.parley.rtc.route;

/** What a packet between relays of two clusters is for. */
public enum LegKind {
    /** A client's datagram on its way to a transceiver. */
    UP,
    /** A transceiver's datagram on its way to a client. */
    DOWN,
    /** Asks whether the other relay is there. */
    PROBE,
    /** Answers a probe, with its own bytes. */
    ANSWER
}
