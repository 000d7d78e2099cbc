package dev.parley.transceiver.audio;

import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import java.nio.ByteBuffer;

/**
 * Turns a caller's packets into an inference service's PCM, filling in what was lost. The thread
 * that makes it owns it: only that thread calls it and closes it. After each call that answered a
 * positive number, {@link #bytes} holds that many samples.
 */
public final class VoiceDecoder implements AutoCloseable {
    private final InferenceFormat format;
    private final PcmDecoder decoder;
    private final short[] pcm;
    private final byte[] bytes;
    private int samples;

    /** Decodes Opus to a PCM format. */
    public static VoiceDecoder ofOpus(OpusLibrary library, InferenceFormat format) {
        return new VoiceDecoder(format, library.newDecoder(format.sampleRateHz()));
    }

    /** Decodes one law of G.711 to a PCM format. */
    public static VoiceDecoder ofG711(G711 law, InferenceFormat format) {
        return new VoiceDecoder(format, new G711Decoder(law, format.sampleRateHz()));
    }

    private VoiceDecoder(InferenceFormat format, PcmDecoder decoder) {
        if (!format.isPcm()) {
            throw new IllegalArgumentException("nothing to decode for " + format);
        }
        this.format = format;
        this.decoder = decoder;
        pcm = new short[decoder.maxSamples()];
        bytes = new byte[pcm.length * format.bytesPerSample()];
    }

    /** Decodes one packet. Answers samples, or the code of an {@link OpusError}. */
    public int decode(ByteBuffer packet, int offset, int length) {
        return written(decoder.decode(packet, offset, length, pcm, 0));
    }

    /**
     * Fills in lost audio from the packet after it, which is decoded afterwards. Answers samples,
     * or the code of an {@link OpusError}.
     *
     * @param lostSamples length of the lost audio on Opus' 48 kHz clock, whole multiples of 2.5 ms,
     *     at most 120 ms
     */
    public int recover(ByteBuffer nextPacket, int offset, int length, int lostSamples) {
        return written(decoder.recover(nextPacket, offset, length, atRate(lostSamples), pcm, 0));
    }

    /**
     * Fills in lost or unsent audio from what came before.
     *
     * @param lostSamples as in {@link #recover}
     */
    public int conceal(int lostSamples) {
        return written(decoder.conceal(atRate(lostSamples), pcm, 0));
    }

    /** The last call's audio, {@link #lengthBytes} from the start; overwritten by the next call. */
    public byte[] bytes() {
        return bytes;
    }

    public int lengthBytes() {
        return samples * format.bytesPerSample();
    }

    /** The last call's audio before it was encoded, {@link #samples} of it. */
    public short[] pcm() {
        return pcm;
    }

    /** How many samples the last call made. */
    public int samples() {
        return samples;
    }

    /** Level of the last call's audio, -127 to 0. */
    public int levelDbov() {
        return Pcm.levelDbov(pcm, 0, samples);
    }

    private int atRate(int clockSamples) {
        return (int) ((long) clockSamples * format.sampleRateHz() / OpusPacket.CLOCK_RATE_HZ);
    }

    private int written(int made) {
        samples = Math.max(0, made);
        if (format.encoding() == Encoding.LINEAR16) {
            Pcm.writeS16le(pcm, 0, samples, bytes, 0);
            return made;
        }
        G711 law = format.encoding() == Encoding.MULAW ? G711.MULAW : G711.ALAW;
        for (int i = 0; i < samples; i++) {
            bytes[i] = law.encode(pcm[i]);
        }
        return made;
    }

    @Override
    public void close() {
        decoder.close();
    }
}
