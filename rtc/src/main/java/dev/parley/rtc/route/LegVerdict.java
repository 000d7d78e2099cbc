package dev.parley.rtc.route;

/** What became of a packet that should be another cluster's relay's. */
public enum LegVerdict {
    /** Whoever sent it holds one of the keys, and it is readable. */
    OPENED,
    /** No packet of this version, or cut off. */
    MALFORMED,
    /** No key with the packet's key id. */
    UNKNOWN_KEY,
    /** The tag does not fit: forged, damaged, or sealed with another key. */
    FORGED
}
