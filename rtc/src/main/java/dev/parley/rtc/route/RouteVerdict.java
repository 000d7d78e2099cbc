package dev.parley.rtc.route;

/** What became of a server ufrag that should be a route token; a counter's label for each. */
public enum RouteVerdict {
    /** The token is genuine and the route is readable. */
    OPENED,
    /** Not as long as a token of its family is. */
    BAD_LENGTH,
    /** A character outside ice-char. */
    BAD_ALPHABET,
    /** A version this build does not know. */
    BAD_VERSION,
    /** No key with the token's key id. */
    UNKNOWN_KEY,
    /** The GCM tag does not fit: forged, damaged, or sealed with another fleet's key. */
    FORGED
}
