package dev.parley.transceiver.control;

import dev.parley.rtc.sdp.SdpCodec;
import dev.parley.rtc.sdp.SdpMedia;
import dev.parley.rtc.sdp.SdpOffer;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.audio.G711;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.media.OutputFormat;

/**
 * How one call's output is encoded and sent: what the process would like, as far as the client's
 * offer lets it.
 *
 * @param format on the wire
 * @param encoder of Opus, where inference speaks PCM
 */
record Output(OutputFormat format, OpusSettings encoder) {
    private static final int[] PACKET_MILLIS = {60, 40, 20, 10};

    static Output of(SdpOffer offer, OutputSettings wanted) {
        SdpCodec voice = offer.voice();
        int type = voice.payloadType();
        OpusSettings encoder = wanted.encoder().forClient(voice.parameters());
        int millis = packetMillis(offer.lead(), voice, wanted.packetMillis());
        OutputFormat format =
                switch (ClientCodec.of(voice)) {
                    case OPUS -> OutputFormat.opus(type, millis, encoder.dtx());
                    case PCMU -> OutputFormat.g711(type, millis, G711.MULAW);
                    case PCMA -> OutputFormat.g711(type, millis, G711.ALAW);
                };
        return new Output(format, encoder);
    }

    /** RFC 8866 6.4 and RFC 7587 6.1: what the client asks for, within what it can take. */
    private static int packetMillis(SdpMedia audio, SdpCodec voice, int wanted) {
        int asked = audio.ptimeMillis() == 0 ? wanted : audio.ptimeMillis();
        int least = number(voice.parameters().getOrDefault("minptime", ""));
        int most = audio.maxptimeMillis() == 0 ? Integer.MAX_VALUE : audio.maxptimeMillis();
        int bounded = Math.min(Math.max(asked, least), most);
        for (int millis : PACKET_MILLIS) {
            if (millis <= bounded) {
                return millis;
            }
        }
        return PACKET_MILLIS[PACKET_MILLIS.length - 1];
    }

    private static int number(String text) {
        return text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
    }
}
