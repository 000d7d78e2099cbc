package dev.parley.transceiver.audio;

import dev.parley.rtc.sdp.SdpCodec;

/** What a client speaks; G.711 only when it has no Opus. */
public enum ClientCodec {
    OPUS,
    PCMU,
    PCMA;

    /** The codec that offer and answer have agreed on. */
    public static ClientCodec of(SdpCodec codec) {
        if (codec.isOpus()) {
            return OPUS;
        }
        return codec.name().equalsIgnoreCase("PCMA") ? PCMA : PCMU;
    }

    /** An encoder to it, owned by the calling thread. */
    public VoiceEncoder encoder(
            OpusLibrary library, InferenceFormat format, OpusSettings settings, int packetMillis) {
        return switch (this) {
            case OPUS -> VoiceEncoder.ofOpus(library, format, settings, packetMillis);
            case PCMU -> VoiceEncoder.ofG711(G711.MULAW, format, packetMillis);
            case PCMA -> VoiceEncoder.ofG711(G711.ALAW, format, packetMillis);
        };
    }

    /** A decoder of it, owned by the calling thread. */
    public VoiceDecoder decoder(OpusLibrary library, InferenceFormat format) {
        return switch (this) {
            case OPUS -> VoiceDecoder.ofOpus(library, format);
            case PCMU -> VoiceDecoder.ofG711(G711.MULAW, format);
            case PCMA -> VoiceDecoder.ofG711(G711.ALAW, format);
        };
    }
}
