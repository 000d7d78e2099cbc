package dev.parley.e2e;

/** How clients name the two SRTP suites that Parley negotiates; libwebrtc and RFC 5764 differ. */
final class SrtpSuites {
    /** RFC 7714 14.2 and RFC 5764 4.1.2. */
    static final String NEGOTIABLE =
            "(SRTP_)?AEAD_AES_128_GCM|(SRTP_)?(AES_CM_128|AES128_CM)(_HMAC)?_SHA1_80";

    private SrtpSuites() {}
}
