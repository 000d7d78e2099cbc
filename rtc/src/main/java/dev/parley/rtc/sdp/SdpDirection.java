package dev.parley.rtc.sdp;

import org.jspecify.annotations.Nullable;

/** Which way media flows, as seen from the side whose SDP says it, RFC 8866 6.7. */
public enum SdpDirection {
    SENDRECV("sendrecv"),
    SENDONLY("sendonly"),
    RECVONLY("recvonly"),
    INACTIVE("inactive");

    private final String text;

    SdpDirection(String text) {
        this.text = text;
    }

    static @Nullable SdpDirection find(String text) {
        for (SdpDirection direction : values()) {
            if (direction.text.equals(text)) {
                return direction;
            }
        }
        return null;
    }

    /** The same flow seen from the other side. */
    public SdpDirection reversed() {
        return switch (this) {
            case SENDONLY -> RECVONLY;
            case RECVONLY -> SENDONLY;
            case SENDRECV, INACTIVE -> this;
        };
    }

    public boolean sends() {
        return this == SENDRECV || this == SENDONLY;
    }

    public boolean receives() {
        return this == SENDRECV || this == RECVONLY;
    }

    /** As SDP spells it. */
    @Override
    public String toString() {
        return text;
    }
}
