package dev.parley.transceiver.audio;

import java.nio.ByteBuffer;

/**
 * Makes RTP payloads of mono PCM, frame by frame. The thread that makes it owns it: only that
 * thread calls it and closes it.
 */
public interface FrameEncoder extends AutoCloseable {
    /** Longest frame that {@link #encode} takes, 60 ms. */
    int MAX_FRAME_MILLIS = 60;

    /** Rate of the PCM that it takes. */
    int sampleRateHz();

    /**
     * Encodes one frame of 10, 20, 40 or 60 ms.
     *
     * @param samples how many samples of {@code pcm} from {@code pcmOffset} are the frame
     * @param maxBytes room for the payload in {@code packet} from the absolute {@code
     *     packetOffset}; {@link OpusDecoder#MAX_PACKET_BYTES} is always enough
     * @return the payload's length in bytes, or the code of an {@link OpusError}
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

    /** Goes on with other settings; G.711 has none. */
    void apply(OpusSettings settings);

    @Override
    void close();
}
