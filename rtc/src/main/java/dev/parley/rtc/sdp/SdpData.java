package dev.parley.rtc.sdp;

import org.jspecify.annotations.Nullable;

/**
 * What a client says of its data channels, RFC 8841.
 *
 * @param sctpPort that its SCTP listens on, 1 to 65,535
 * @param maxMessageBytes the longest message that it takes, 0 when it takes any
 * @param sctpInit its INIT chunk as it stands there, draft-hancke-tsvwg-snap; null when there is
 *     none, or when the answer does not have ours
 */
public record SdpData(int sctpPort, int maxMessageBytes, @Nullable String sctpInit) {
    /** Ours, in every answer. */
    public static final int LOCAL_PORT = 5_000;

    /** The longest message that we take. */
    public static final int LOCAL_MAX_MESSAGE_BYTES = 262_144;

    /** RFC 8841 6: when a=max-message-size is missing. */
    static final int DEFAULT_MAX_MESSAGE_BYTES = 65_536;

    /** One that says nothing of its INIT. */
    public SdpData(int sctpPort, int maxMessageBytes) {
        this(sctpPort, maxMessageBytes, null);
    }

    SdpData withInitOf(SdpData other) {
        return new SdpData(sctpPort, maxMessageBytes, other.sctpInit);
    }

    SdpData withoutInit() {
        return new SdpData(sctpPort, maxMessageBytes);
    }
}
