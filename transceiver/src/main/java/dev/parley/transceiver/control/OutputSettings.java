package dev.parley.transceiver.control;

import dev.parley.transceiver.audio.OpusSettings;

/**
 * How the output of all calls is to be encoded and sent where the client says nothing else.
 *
 * @param packetMillis of packets that we make: 10, 20, 40 or 60
 * @param encoder of Opus
 */
public record OutputSettings(int packetMillis, OpusSettings encoder) {
    /** 20 ms, {@link OpusSettings#VOICE}. */
    public static final OutputSettings DEFAULT = new OutputSettings(20, OpusSettings.VOICE);
}
