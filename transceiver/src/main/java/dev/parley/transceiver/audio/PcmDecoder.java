package dev.parley.transceiver.audio;

import java.nio.ByteBuffer;

/**
 * Decodes one caller's stream to mono PCM and makes up what was lost of it. The thread that makes
 * it owns it: only that thread calls it and closes it. No packet, however malformed, makes it
 * throw.
 */
public interface PcmDecoder extends AutoCloseable {
    /** Longest packet taken and made: more does not fit in a datagram. */
    int MAX_PACKET_BYTES = 1_500;

    /** Longest audio in one packet. */
    int MAX_PACKET_MILLIS = 120;

    /** Rate of the PCM that it makes, whatever the packets' bandwidth. */
    int sampleRateHz();

    /** Most samples that one call makes: {@link #MAX_PACKET_MILLIS} at {@link #sampleRateHz}. */
    default int maxSamples() {
        return sampleRateHz() / 1000 * MAX_PACKET_MILLIS;
    }

    /**
     * Decodes one packet.
     *
     * @param pcm room for the packet's samples from {@code pcmOffset}
     * @return samples made, or the code of an {@link OpusError}, which leaves {@code pcm} as it was
     */
    int decode(ByteBuffer packet, int offset, int length, short[] pcm, int pcmOffset);

    /**
     * Makes up the audio of a lost packet from the in-band FEC of the packet that follows it, or by
     * concealment where that packet carries none. Call it before {@link #decode} of that packet.
     *
     * @param samples length of the lost audio at {@link #sampleRateHz}, whole multiples of 2.5 ms,
     *     at most {@link #maxSamples}
     * @return samples made, or the code of an {@link OpusError}
     */
    int recover(
            ByteBuffer nextPacket, int offset, int length, int samples, short[] pcm, int pcmOffset);

    /**
     * Makes up lost audio from what was decoded before.
     *
     * @param samples as in {@link #recover}
     * @return samples made, or the code of an {@link OpusError}
     */
    int conceal(int samples, short[] pcm, int pcmOffset);

    /** Forgets the stream so far. */
    void reset();

    @Override
    void close();
}
