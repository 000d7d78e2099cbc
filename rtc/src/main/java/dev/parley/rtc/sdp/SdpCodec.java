package dev.parley.rtc.sdp;

import java.util.Map;

/**
 * One payload type of an audio section, RFC 8866 6.6 and 6.15.
 *
 * @param payloadType 0..127
 * @param name encoding name as offered; compare without regard to case
 * @param clockRateHz RTP clock
 * @param channels 1 when not said
 * @param parameters of its {@code a=fmtp}, names in lower case; a value without a name stands under
 *     the empty name
 */
public record SdpCodec(
        int payloadType,
        String name,
        int clockRateHz,
        int channels,
        Map<String, String> parameters) {
    /**
     * RFC 7587 7 wants {@code opus/48000/2} whatever the stream carries; some encoders say one
     * channel, or none, and mean the same.
     */
    public boolean isOpus() {
        return is("opus", 48_000);
    }

    /** RFC 3551 4.5.14: one of the two laws of G.711. */
    public boolean isG711() {
        return is("PCMU", 8_000) || is("PCMA", 8_000);
    }

    /**
     * RFC 5761 4: with rtcp-mux a payload type from 64 to 95 must not be used, since with the
     * marker bit its packets look like RTCP.
     */
    boolean isMistakenForRtcp() {
        return payloadType >= 64 && payloadType <= 95;
    }

    boolean is(String otherName, int otherClockRateHz) {
        return name.equalsIgnoreCase(otherName) && clockRateHz == otherClockRateHz;
    }

    /** As {@code a=rtpmap} spells it. */
    @Override
    public String toString() {
        return name + "/" + clockRateHz + (channels == 1 ? "" : "/" + channels);
    }
}
