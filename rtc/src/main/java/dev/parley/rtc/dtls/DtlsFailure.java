package dev.parley.rtc.dtls;

/** Why a handshake came to nothing: a closed set, so that each has its counter. */
public enum DtlsFailure {
    /** The peer did not finish in time, or never answered. */
    TIMEOUT,

    /** The owner closed the {@link DatagramLink}. */
    CANCELLED,

    /** The peer showed no certificate, or one that is not the one of its offer. */
    CERTIFICATE_MISMATCH,

    /** The peer does not speak DTLS-SRTP, or none of our profiles. */
    NO_SRTP_PROFILE,

    /** The peer gave up with an alert. */
    REFUSED_BY_PEER,

    /** The peer broke the protocol, or shares no version, cipher suite or extension with us. */
    PROTOCOL
}
