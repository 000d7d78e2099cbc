package dev.parley.transceiver.media;

/** How a missing input packet was made good; each has its counter. */
public enum InputRepair {
    /** By its exact copy in a later packet, RFC 2198. */
    RED,
    /** By asking the client to send it again, RFC 4585. */
    RETRANSMISSION,
    /** By the coarse copy in the next packet, RFC 6716 2.1.7. */
    FEC,
    /** By audio made up from what came before. */
    CONCEALMENT
}
