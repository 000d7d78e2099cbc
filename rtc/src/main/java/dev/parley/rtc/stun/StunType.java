package dev.parley.rtc.stun;

/** Message and attribute types, RFC 8489 18.2, 18.3 and RFC 8445 20.2. */
final class StunType {
    static final int MAGIC_COOKIE = 0x2112A442;
    static final int HEADER_LENGTH = 20;
    static final int ATTRIBUTE_HEADER = 4;

    static final int BINDING_REQUEST = 0x0001;
    static final int BINDING_INDICATION = 0x0011;
    static final int BINDING_SUCCESS = 0x0101;
    static final int BINDING_ERROR = 0x0111;

    static final int MAPPED_ADDRESS = 0x0001;
    static final int USERNAME = 0x0006;
    static final int MESSAGE_INTEGRITY = 0x0008;
    static final int ERROR_CODE = 0x0009;
    static final int UNKNOWN_ATTRIBUTES = 0x000A;
    static final int REALM = 0x0014;
    static final int NONCE = 0x0015;
    static final int MESSAGE_INTEGRITY_SHA256 = 0x001C;
    static final int XOR_MAPPED_ADDRESS = 0x0020;
    static final int PRIORITY = 0x0024;
    static final int USE_CANDIDATE = 0x0025;
    static final int SOFTWARE = 0x8022;
    static final int FINGERPRINT = 0x8028;
    static final int ICE_CONTROLLED = 0x8029;
    static final int ICE_CONTROLLING = 0x802A;

    // draft-hancke-webrtc-sped: DTLS-IN-STUN-DATA and DTLS-IN-STUN-ACK there, META_... at IANA.
    static final int DTLS_IN_STUN = 0xC070;
    static final int DTLS_IN_STUN_ACK = 0xC071;

    /** Types below are comprehension-required, RFC 8489 14. */
    static final int COMPREHENSION_OPTIONAL = 0x8000;

    static final int FAMILY_IPV4 = 1;
    static final int FAMILY_IPV6 = 2;

    private StunType() {}
}
