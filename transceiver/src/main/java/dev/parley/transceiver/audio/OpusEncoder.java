package dev.parley.transceiver.audio;

import java.nio.ByteBuffer;

/**
 * Encodes one mono stream for speech (libopus' VOIP application). The thread that makes it owns it:
 * only that thread calls it and closes it. Encoding allocates nothing with libopus.
 */
public interface OpusEncoder extends AutoCloseable {
    /** Longest frame that {@link #encode} takes, 60 ms. */
    int MAX_FRAME_MILLIS = 60;

    /** Rate of the PCM that it takes. */
    int sampleRateHz();

    /** Target bits per second, 6,000 to 510,000. */
    void bitrate(int bitsPerSecond);

    /** 0 (least work) to 10 (best sound for the bits). */
    void complexity(int complexity);

    /** Whether packets carry a coarse copy of the frame before, for {@link OpusDecoder#recover}. */
    void inbandFec(boolean enabled);

    /** Expected loss, 0 to 100; with in-band FEC it decides how many bits the copy gets. */
    void expectedLossPercent(int percent);

    /**
     * Whether silence may be sent as packets of at most 2 bytes, which need not be sent at all (RFC
     * 6716 2.1.9).
     */
    void dtx(boolean enabled);

    /**
     * Encodes one frame of 10, 20, 40 or 60 ms.
     *
     * @param samples how many samples of {@code pcm} from {@code pcmOffset} are the frame
     * @param maxBytes room for the packet in {@code packet} from the absolute {@code packetOffset};
     *     {@link OpusDecoder#MAX_PACKET_BYTES} is always enough
     * @return the packet's length in bytes, or the code of an {@link OpusError}
     */
    int encode(
            short[] pcm,
            int pcmOffset,
            int samples,
            ByteBuffer packet,
            int packetOffset,
            int maxBytes);

    /** Forgets the stream so far, settings apart. */
    void reset();

    @Override
    void close();
}
