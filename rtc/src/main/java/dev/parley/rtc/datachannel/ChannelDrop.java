package dev.parley.rtc.datachannel;

/** Why a message or an opening was dropped; each has its counter. */
public enum ChannelDrop {
    /** A DCEP message that does not parse. */
    MALFORMED_DCEP,
    /** An opening on a stream whose channel is open. */
    STREAM_IN_USE,
    /** An opening beyond the number of channels or the length of labels that are allowed. */
    TOO_MANY_CHANNELS,
    /** A message on a stream without a channel. */
    NO_CHANNEL,
    /** A payload protocol identifier that is not one of RFC 8831 8. */
    UNKNOWN_PPID,
    /** A message longer than was announced; its channel is closed. */
    TOO_LONG
}
