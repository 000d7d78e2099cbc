package dev.parley.transceiver.inference;

/** What happens to the streams that carry calls; each has its counter. */
public enum LinkEvent {
    /** A backend has accepted a new call. */
    ACCEPTED,
    /** A backend could not be reached or was full, and another one was asked. */
    REFUSED_ELSEWHERE,
    /** A stream broke and the call looked for another one. */
    BROKEN,
    /** A call went on with another stream after one had broken. */
    RESUMED,
    /** No other stream was to be had in time, or the call was refused. */
    GIVEN_UP,
    /** A call went on with another stream because its backend wanted to stop. */
    MOVED,
    /** A token of a backend was too long. */
    TOKEN_TOO_LONG,
    /** A message longer than any may be was dropped. */
    MESSAGE_TOO_LONG
}
