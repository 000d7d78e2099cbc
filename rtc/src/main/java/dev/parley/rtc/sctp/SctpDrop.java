package dev.parley.rtc.sctp;

/** Why a packet, chunk or message from the peer was dropped; each has its counter. */
public enum SctpDrop {
    /** No whole packet, or chunk lengths that do not add up. */
    MALFORMED_PACKET,
    /** CRC32c wrong, or absent without having been negotiated. */
    BAD_CHECKSUM,
    /** Ports other than those of the association. */
    BAD_PORT,
    /** RFC 9260 8.5: a verification tag that is not ours. */
    BAD_VERIFICATION_TAG,
    /** The chunk's content does not parse. */
    MALFORMED_CHUNK,
    /** A chunk type that is not known, RFC 9260 3.2. */
    UNKNOWN_CHUNK,
    /** A chunk that makes no sense in this state. */
    UNEXPECTED_CHUNK,
    /** A cookie that we did not make. */
    FORGED_COOKIE,
    /** A cookie that came too late. */
    STALE_COOKIE,
    /** RFC 9260 5.2.4 C: a cookie of an association that never was. */
    LATE_COOKIE,
    /** DATA that had come already. */
    DUPLICATE_DATA,
    /** DATA beyond the window that was granted. */
    WINDOW_EXCEEDED,
    /** DATA far ahead of what is missing, or with too many gaps before it. */
    TOO_MANY_GAPS,
    /** DATA without a byte of user data, RFC 9260 6.2. */
    NO_USER_DATA,
    /** A stream that was not negotiated. */
    INVALID_STREAM,
    /** DATA where I-DATA was negotiated, or the other way round. */
    WRONG_DATA_KIND,
    /** A fragment that fits no message. */
    BAD_FRAGMENT,
    /** A message longer than we announced. */
    MESSAGE_TOO_LONG,
    /** A SACK older than one that came before. */
    OLD_SACK,
    /** A SACK for what was never sent. */
    IMPOSSIBLE_SACK,
    /** A FORWARD-TSN that skips nothing. */
    OLD_FORWARD_TSN,
    /** A RE-CONFIG that is repeated, out of turn or asks for what we do not do. */
    BAD_RECONFIG,
    /** An answer to it was dropped, since too many wait to be sent. */
    ANSWERS_FULL
}
