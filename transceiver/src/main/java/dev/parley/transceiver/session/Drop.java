package dev.parley.transceiver.session;

/** Why a datagram or packet was dropped by the loop or a session; each has its counter. */
enum Drop {
    /** A client header from outside the relay ranges. */
    FOREIGN_HEADER,
    /** A client header inside a client header. */
    NESTED_HEADER,
    /** Neither STUN, DTLS, RTP nor RTCP. */
    UNKNOWN_KIND,
    /** STUN that does not parse. */
    STUN_MALFORMED,
    /** STUN that is neither a check with a username nor an answer to any session. */
    STUN_NOT_A_CHECK,
    /** A check whose route names another transceiver or a call that is over. */
    STUN_UNKNOWN_SESSION,
    /** DTLS or media from an address that no session has validated. */
    UNKNOWN_PEER,
    /** A session that others have pushed from its client address: too many have it. */
    ADDRESS_CROWDED,
    /**
     * DTLS for a session whose handshake has too much waiting or which is done with DTLS, from a
     * path without a valid check, or too long; once connected, what holds no record of the peer's.
     */
    DTLS_REFUSED,
    /** DTLS of ours that had nowhere to go, since another session has its client's address. */
    DTLS_UNSENT,
    /** Application data of a call that has no data channel. */
    DTLS_DATA,
    /** RTP that does not parse after decryption. */
    RTP_MALFORMED,
    /** RTP of a payload type that was not negotiated. */
    RTP_PAYLOAD_TYPE,
    /** RTP with our own SSRC, again and again. */
    RTP_SSRC_COLLISION,
    /** RTP of a source that was replaced by another one. */
    RTP_OLD_SOURCE,
    /** RTP whose turn in the sequence is over. */
    RTP_LATE,
    /** RTP that waits already. */
    RTP_DUPLICATE,
    /** RTP whose sequence number jumped far and makes no sense yet. */
    RTP_SEQUENCE_JUMP,
    /** RTCP that does not parse after decryption. */
    RTCP_MALFORMED,
    /** A message for a data channel that is not there. */
    EVENT_NO_CHANNEL,
    /** A message for a data channel that is longer than the client takes. */
    EVENT_TOO_LONG,
    /** A fault of ours while it was handled. */
    INTERNAL_ERROR
}
