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
    ANSWER,
    /** As UP; its sender remembers no flow of it, and neither is its receiver to. */
    UP_UNCACHED,
    /**
     * As DOWN; which relay its client comes in by is not known, and the map says that the receiver
     * serves the public address.
     */
    DOWN_BY_MAP
}
