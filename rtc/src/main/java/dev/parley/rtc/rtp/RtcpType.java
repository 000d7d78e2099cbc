package dev.parley.rtc.rtp;

/** Kinds of RTCP packets, RFC 3550 6, as far as they mean something to us. */
public enum RtcpType {
    SENDER_REPORT(200),
    RECEIVER_REPORT(201),
    SOURCE_DESCRIPTION(202),
    GOODBYE(203),

    /** RFC 4585 6.2. */
    TRANSPORT_FEEDBACK(205),

    /** RFC 3611. */
    EXTENDED_REPORT(207),

    /** Application-defined, feedback on payloads: well-formed and of no interest here. */
    OTHER(0);

    private final int payloadType;

    RtcpType(int payloadType) {
        this.payloadType = payloadType;
    }

    int payloadType() {
        return payloadType;
    }

    static RtcpType of(int payloadType) {
        return switch (payloadType) {
            case 200 -> SENDER_REPORT;
            case 201 -> RECEIVER_REPORT;
            case 202 -> SOURCE_DESCRIPTION;
            case 203 -> GOODBYE;
            case 205 -> TRANSPORT_FEEDBACK;
            case 207 -> EXTENDED_REPORT;
            default -> OTHER;
        };
    }
}
