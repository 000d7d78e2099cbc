package dev.parley.rtc.sdp;

/**
 * An RTP header extension that an audio section offers, RFC 8285 8.
 *
 * @param id as it stands in packets
 * @param uri what it means
 * @param direction for the offerer
 */
public record SdpExtension(int id, String uri, SdpDirection direction) {
    /** RFC 6464: the audio level of each packet. */
    public static final String AUDIO_LEVEL = "urn:ietf:params:rtp-hdrext:ssrc-audio-level";
}
