package dev.parley.transceiver.audio;

import java.nio.ByteBuffer;

/**
 * Encodes PCM of any rate as G.711, whose own is 8 kHz: for clients without Opus. Owned by one
 * thread; allocates nothing after it was made.
 */
final class G711Encoder implements FrameEncoder {
    private static final int RATE_HZ = 8_000;

    private final G711 law;
    private final int sampleRateHz;
    private final Decimator decimator;
    private final short[] lowered = new short[RATE_HZ / 1000 * MAX_FRAME_MILLIS];

    G711Encoder(G711 law, int sampleRateHz) {
        this.law = law;
        this.sampleRateHz = sampleRateHz;
        decimator = new Decimator(sampleRateHz / RATE_HZ, sampleRateHz / 1000 * MAX_FRAME_MILLIS);
    }

    @Override
    public int sampleRateHz() {
        return sampleRateHz;
    }

    @Override
    public int encode(
            short[] pcm,
            int pcmOffset,
            int samples,
            ByteBuffer packet,
            int packetOffset,
            int maxBytes) {
        int bytes = samples / (sampleRateHz / RATE_HZ);
        if (samples <= 0
                || samples > sampleRateHz / 1000 * MAX_FRAME_MILLIS
                || samples % (sampleRateHz / RATE_HZ) != 0
                || bytes > maxBytes) {
            return OpusError.BAD_ARGUMENT.code();
        }
        decimator.decimate(pcm, pcmOffset, samples, lowered);
        for (int i = 0; i < bytes; i++) {
            packet.put(packetOffset + i, law.encode(lowered[i]));
        }
        return bytes;
    }

    @Override
    public void reset() {
        decimator.reset();
    }

    @Override
    public void apply(OpusSettings settings) {
        // The codec has nothing that could be set.
    }

    @Override
    public void close() {
        // Only memory of the heap.
    }
}
