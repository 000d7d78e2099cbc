package dev.parley.fuzz;

import dev.parley.transceiver.audio.OpusPacket;

/** Framing of Opus packets, RFC 6716 3. */
public final class OpusFuzz {
    // RFC 6716 3.4, R5.
    private static final int MAX_DURATION_SAMPLES = 5_760;
    private static final OpusPacket PACKET = new OpusPacket();

    private OpusFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (!PACKET.wrap(Input.placed(input), Input.OFFSET, input.length)) {
            return;
        }
        Input.demand(input.length > 0, "an empty packet");
        Input.demand(PACKET.frameCount() >= 1 && PACKET.frameCount() <= 48, "the frame count");
        Input.demand(PACKET.frameSamples() >= 120, "the frame size");
        Input.demand(
                PACKET.durationSamples() == PACKET.frameCount() * PACKET.frameSamples()
                        && PACKET.durationSamples() <= MAX_DURATION_SAMPLES,
                "the duration");
        var _ = PACKET.mode() == OpusPacket.Mode.SILK && PACKET.stereo();
        var _ = PACKET.empty() || PACKET.hasLbrr() || PACKET.hasVoice();
    }
}
