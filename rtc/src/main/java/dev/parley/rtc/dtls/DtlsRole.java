package dev.parley.rtc.dtls;

/** Which side of the handshake we take, RFC 8842 5: {@code a=setup:active} makes us the client. */
public enum DtlsRole {
    CLIENT,
    SERVER
}
