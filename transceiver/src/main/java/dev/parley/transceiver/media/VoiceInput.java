package dev.parley.transceiver.media;

import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.VoiceDecoder;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a session's input to the PCM that inference asked for and fills in what was lost. The
 * media loop hands packets over; the session's codec thread calls {@link #runOnce}.
 */
public final class VoiceInput implements InputPath.Sink, AutoCloseable {
    /** Takes decoded audio on the codec thread. */
    public interface Sink {
        /**
         * A piece of audio in inference's format.
         *
         * @param offsetSamples where its first sample stands on the input clock, at 48 kHz
         * @param bytes holds the audio from 0; valid during the call
         * @param samples its samples, in the format's rate
         * @param concealed how many of them were made up
         * @param audioLevel the RFC 6464 byte of the packet, or -1
         */
        void audio(
                long offsetSamples,
                byte[] bytes,
                int lengthBytes,
                int samples,
                int concealed,
                int audioLevel);
    }

    /** Packets that may wait for the codec thread: 1.3 s. */
    private static final int RING_PACKETS = 64;

    /** Longest gap that is filled: what an ear can still make sense of. The rest stays a gap. */
    private static final int MAX_CONCEALED_SAMPLES = InputClock.RATE_HZ / 1000 * 120;

    private static final int STEP_SAMPLES = InputClock.RATE_HZ / 1000 * 20;

    /** Opus makes audio in units of 2.5 ms. */
    private static final int UNIT_SAMPLES = InputClock.RATE_HZ / 400;

    private final PacketRing ring = new PacketRing(RING_PACKETS);
    private final Supplier<VoiceDecoder> decoders;
    private final Sink sink;
    private final AudioCounters counters;
    private @Nullable VoiceDecoder opened;
    private long endOffset;

    /**
     * @param decoders makes the decoder, once, on the codec thread
     */
    public VoiceInput(Supplier<VoiceDecoder> decoders, Sink sink, AudioCounters counters) {
        this.decoders = decoders;
        this.sink = sink;
        this.counters = counters;
    }

    @Override
    public void packet(
            long offsetSamples,
            int samples,
            int missing,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length) {
        if (length > OpusDecoder.MAX_PACKET_BYTES
                || !ring.offer(
                        offsetSamples, samples, missing, audioLevel, bytes, offset, length)) {
            counters.increment(AudioDrop.INPUT_CODEC_BEHIND);
        }
    }

    /** Decodes one packet if there is one; answers whether there was. */
    public boolean runOnce() {
        if (ring.isEmpty()) {
            return false;
        }
        VoiceDecoder decoder = decoder();
        PacketRing.Slot packet = ring.head();
        if (packet.missing > 0) {
            fillGap(decoder, packet);
        }
        int samples = decoder.decode(packet.bytes, 0, packet.length);
        if (samples > 0) {
            emit(decoder, packet.offsetSamples, samples, 0, packet.audioLevel);
        } else {
            counters.increment(AudioDrop.INPUT_UNDECODABLE);
        }
        endOffset = packet.offsetSamples + packet.samples;
        ring.release();
        return true;
    }

    /**
     * A gap in sequence numbers is loss as far as the timestamps say that time passed; a gap in
     * timestamps alone is DTX and stays silent (RFC 7587 3.1.3).
     */
    private void fillGap(VoiceDecoder decoder, PacketRing.Slot next) {
        long gap = Math.min(next.offsetSamples - endOffset, MAX_CONCEALED_SAMPLES);
        long from = next.offsetSamples - gap;
        while (gap >= UNIT_SAMPLES) {
            int step = (int) Math.min(gap, STEP_SAMPLES);
            step -= step % UNIT_SAMPLES;
            gap -= step;
            // The copy in the next packet is that of the audio right before it.
            int made =
                    gap < UNIT_SAMPLES
                            ? decoder.recover(next.bytes, 0, next.length, step)
                            : decoder.conceal(step);
            if (made > 0) {
                emit(decoder, from, made, made, -1);
            }
            from += step;
        }
    }

    private VoiceDecoder decoder() {
        VoiceDecoder decoder = opened;
        if (decoder == null) {
            decoder = decoders.get();
            opened = decoder;
        }
        return decoder;
    }

    /** Frees the decoder; on the codec thread. */
    @Override
    public void close() {
        if (opened != null) {
            opened.close();
            opened = null;
        }
    }

    private void emit(
            VoiceDecoder decoder, long offsetSamples, int samples, int concealed, int audioLevel) {
        sink.audio(
                offsetSamples,
                decoder.bytes(),
                decoder.lengthBytes(),
                samples,
                concealed,
                audioLevel);
    }
}
