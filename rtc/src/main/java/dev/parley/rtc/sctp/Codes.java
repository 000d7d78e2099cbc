package dev.parley.rtc.sctp;

/** The numbers of RFC 9260 and its extensions. */
final class Codes {
    /** Chunk types, RFC 9260 3.2. */
    static final class Chunk {
        static final int DATA = 0;
        static final int INIT = 1;
        static final int INIT_ACK = 2;
        static final int SACK = 3;
        static final int HEARTBEAT = 4;
        static final int HEARTBEAT_ACK = 5;
        static final int ABORT = 6;
        static final int SHUTDOWN = 7;
        static final int SHUTDOWN_ACK = 8;
        static final int ERROR = 9;
        static final int COOKIE_ECHO = 10;
        static final int COOKIE_ACK = 11;
        static final int SHUTDOWN_COMPLETE = 14;

        /** RFC 8260 2.1. */
        static final int I_DATA = 64;

        /** RFC 6525 3.1. */
        static final int RE_CONFIG = 130;

        /** RFC 3758 3.2. */
        static final int FORWARD_TSN = 192;

        /** RFC 8260 2.3.1. */
        static final int I_FORWARD_TSN = 194;

        /** Whether it is one of these. */
        static boolean isKnown(int type) {
            return switch (type) {
                case DATA, INIT, INIT_ACK, SACK, HEARTBEAT, HEARTBEAT_ACK, ABORT -> true;
                case SHUTDOWN, SHUTDOWN_ACK, ERROR, COOKIE_ECHO, COOKIE_ACK -> true;
                case SHUTDOWN_COMPLETE, I_DATA, RE_CONFIG, FORWARD_TSN, I_FORWARD_TSN -> true;
                default -> false;
            };
        }

        private Chunk() {}
    }

    /** Parameter types. */
    static final class Parameter {
        static final int HEARTBEAT_INFO = 1;
        static final int IPV4_ADDRESS = 5;
        static final int IPV6_ADDRESS = 6;
        static final int STATE_COOKIE = 7;
        static final int UNRECOGNIZED_PARAMETER = 8;
        static final int COOKIE_PRESERVATIVE = 9;
        static final int HOST_NAME_ADDRESS = 11;
        static final int SUPPORTED_ADDRESS_TYPES = 12;

        /** RFC 6525 4. */
        static final int OUTGOING_RESET_REQUEST = 13;

        static final int INCOMING_RESET_REQUEST = 14;
        static final int SSN_TSN_RESET_REQUEST = 15;
        static final int RECONFIG_RESPONSE = 16;
        static final int ADD_OUTGOING_STREAMS = 17;
        static final int ADD_INCOMING_STREAMS = 18;

        /** RFC 9653 4. */
        static final int ZERO_CHECKSUM_ACCEPTABLE = 0x8001;

        /** RFC 5061 4.2.7. */
        static final int SUPPORTED_EXTENSIONS = 0x8008;

        /** RFC 3758 3.1. */
        static final int FORWARD_TSN_SUPPORTED = 0xC000;

        private Parameter() {}
    }

    /** Error causes, RFC 9260 3.3.10. */
    static final class Cause {
        static final int INVALID_STREAM = 1;
        static final int MISSING_PARAMETER = 2;
        static final int STALE_COOKIE = 3;
        static final int OUT_OF_RESOURCE = 4;
        static final int UNRECOGNIZED_CHUNK = 6;
        static final int INVALID_PARAMETER = 7;
        static final int UNRECOGNIZED_PARAMETERS = 8;
        static final int NO_USER_DATA = 9;
        static final int COOKIE_WHILE_SHUTTING_DOWN = 10;
        static final int USER_ABORT = 12;
        static final int PROTOCOL_VIOLATION = 13;

        private Cause() {}
    }

    /** RFC 9653 4.1: the error detection method "SCTP over DTLS". */
    static final int DTLS_ERROR_DETECTION = 1;

    private Codes() {}
}
