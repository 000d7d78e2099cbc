package dev.parley.transceiver.audio;

import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Turns an inference service's PCM, in pieces of any length, into RTP payloads of one length, 20 ms
 * unless told otherwise. The thread that makes it owns it: only that thread calls it and closes it.
 */
public final class VoiceEncoder implements AutoCloseable {
    /** Takes one packet; the bytes are valid during the call only. */
    @FunctionalInterface
    public interface PacketSink {
        void packet(ByteBuffer bytes, int offset, int length);
    }

    private final InferenceFormat format;
    private final FrameEncoder encoder;
    private final short[] frame;
    private final ByteBuffer packet = ByteBuffer.allocate(OpusDecoder.MAX_PACKET_BYTES);
    private int framed;
    private boolean halfSample;
    private byte firstHalf;
    private long failures;

    /**
     * Makes Opus packets.
     *
     * @param format a PCM format
     */
    public VoiceEncoder(OpusLibrary library, InferenceFormat format, OpusSettings settings) {
        this(format, opus(library, format, settings), InferenceFormat.FRAME_MILLIS);
    }

    private VoiceEncoder(InferenceFormat format, FrameEncoder encoder, int packetMillis) {
        this.format = format;
        this.encoder = encoder;
        frame = new short[format.sampleRateHz() / 1000 * packetMillis];
    }

    /** Makes Opus packets of 10, 20, 40 or 60 ms. */
    public static VoiceEncoder ofOpus(
            OpusLibrary library, InferenceFormat format, OpusSettings settings, int packetMillis) {
        return new VoiceEncoder(format, opus(library, format, settings), packetMillis);
    }

    /** Makes payloads of G.711 of 10 to 60 ms. */
    public static VoiceEncoder ofG711(G711 law, InferenceFormat format, int packetMillis) {
        requirePcm(format);
        return new VoiceEncoder(format, new G711Encoder(law, format.sampleRateHz()), packetMillis);
    }

    private static OpusEncoder opus(
            OpusLibrary library, InferenceFormat format, OpusSettings settings) {
        requirePcm(format);
        OpusEncoder encoder = library.newEncoder(format.sampleRateHz());
        settings.applyTo(encoder);
        return encoder;
    }

    private static void requirePcm(InferenceFormat format) {
        if (!format.isPcm()) {
            throw new IllegalArgumentException("nothing to encode in " + format);
        }
    }

    /** Goes on with other settings, from the next packet on. */
    public void apply(OpusSettings settings) {
        encoder.apply(settings);
    }

    /**
     * Takes a piece of audio and hands over each packet that it completes. What is left of less
     * than a packet waits for the next piece or for {@link #flush}; so does half a sample.
     */
    public void encode(ByteBuffer audio, int offset, int length, PacketSink sink) {
        int at = offset;
        int end = offset + length;
        if (halfSample && at < end) {
            halfSample = false;
            add((short) (audio.get(at++) << 8 | (firstHalf & 0xFF)), sink);
        }
        int bytesPerSample = format.bytesPerSample();
        while (end - at >= bytesPerSample) {
            int samples = Math.min((end - at) / bytesPerSample, frame.length - framed);
            read(audio, at, samples);
            at += samples * bytesPerSample;
            framed += samples;
            encodeFull(sink);
        }
        if (at < end) {
            halfSample = true;
            firstHalf = audio.get(at);
        }
    }

    /** Ends what was said: silence fills the last packet up. Answers the samples of it. */
    public int flush(PacketSink sink) {
        halfSample = false;
        if (framed == 0) {
            return 0;
        }
        int padding = frame.length - framed;
        Arrays.fill(frame, framed, frame.length, (short) 0);
        framed = frame.length;
        encodeFull(sink);
        return padding;
    }

    /** Drops what waits and forgets the stream so far: what comes next is something else. */
    public void reset() {
        halfSample = false;
        framed = 0;
        encoder.reset();
    }

    /**
     * Encodes a packet's length of samples beside what waits; for who has pieces of whole packets.
     */
    public void encodeFrame(short[] pcm, PacketSink sink) {
        int length = encoder.encode(pcm, 0, frame.length, packet, 0, packet.capacity());
        if (length > 0) {
            sink.packet(packet, 0, length);
        } else {
            failures++;
        }
    }

    /**
     * Copies samples of the packet that was begun last: those that wait, or while a sink is called
     * those of its packet.
     */
    public void copyFrame(short[] into, int at, int samples) {
        System.arraycopy(frame, 0, into, at, samples);
    }

    /** Samples that wait for the rest of their packet. */
    public int waitingSamples() {
        return framed;
    }

    /** Frames that the codec failed to encode; 0 unless there is a bug. */
    public long failures() {
        return failures;
    }

    private void read(ByteBuffer audio, int at, int samples) {
        if (format.encoding() == Encoding.LINEAR16) {
            Pcm.readS16le(audio, at, frame, framed, samples);
            return;
        }
        G711 law = format.encoding() == Encoding.MULAW ? G711.MULAW : G711.ALAW;
        for (int i = 0; i < samples; i++) {
            frame[framed + i] = law.decode(audio.get(at + i));
        }
    }

    private void add(short sample, PacketSink sink) {
        frame[framed++] = sample;
        encodeFull(sink);
    }

    private void encodeFull(PacketSink sink) {
        if (framed < frame.length) {
            return;
        }
        framed = 0;
        encodeFrame(frame, sink);
    }

    @Override
    public void close() {
        encoder.close();
    }
}
