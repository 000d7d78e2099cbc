package dev.parley.transceiver.media;

import dev.parley.rtc.rtp.RtpReader;
import dev.parley.transceiver.audio.OpusPacket;
import dev.parley.transceiver.audio.PcmDecoder;
import dev.parley.transceiver.audio.VoiceDecoder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a session's input to the PCM that inference asked for and fills in what was lost. The
 * media loop hands packets over; the session's codec thread calls {@link #runOnce}.
 */
public final class VoiceInput implements AutoCloseable {
    /** Takes decoded audio on the codec thread. */
    public interface Sink {
        /**
         * A piece of audio in inference's format.
         *
         * @param offsetSamples where its first sample stands on the input clock, at 48 kHz
         * @param bytes holds the audio from 0; valid during the call
         * @param samples its samples, in the format's rate
         * @param concealed how many of them were made up
         * @param levelDbov its level, -127 to 0
         * @param voice 1 when it holds voice, 0 when not, or {@link InputPacket#UNKNOWN}
         */
        void audio(
                long offsetSamples,
                byte[] bytes,
                int lengthBytes,
                int samples,
                int concealed,
                int levelDbov,
                int voice);
    }

    /** Packets that may wait for the codec thread: 1.3 s. */
    private static final int RING_PACKETS = 64;

    /** Longest gap that is filled: what an ear can still make sense of. The rest stays a gap. */
    private static final int MAX_CONCEALED_SAMPLES = InputClock.RATE_HZ / 1000 * 120;

    private static final int STEP_SAMPLES = InputClock.RATE_HZ / 1000 * 20;

    /** Opus makes audio in units of 2.5 ms. */
    private static final int UNIT_SAMPLES = InputClock.RATE_HZ / 400;

    private final PacketRing ring = new PacketRing(RING_PACKETS);
    private final OpusPacket opus = new OpusPacket();
    private final VoiceLevel voiceLevel = new VoiceLevel();
    private final boolean isOpus;
    private final Supplier<VoiceDecoder> decoders;
    private final Sink sink;
    private final AudioCounters counters;
    private @Nullable VoiceDecoder opened;

    /**
     * @param isOpus whether packets are Opus, which can carry copies of one another
     * @param decoders makes the decoder, once, on the codec thread
     */
    public VoiceInput(
            boolean isOpus, Supplier<VoiceDecoder> decoders, Sink sink, AudioCounters counters) {
        this.isOpus = isOpus;
        this.decoders = decoders;
        this.sink = sink;
        this.counters = counters;
    }

    /** Takes a packet over, on the loop's thread. */
    public void packet(InputPacket packet) {
        if (packet.length() > PcmDecoder.MAX_PACKET_BYTES || !ring.offer(packet)) {
            counters.increment(AudioDrop.INPUT_CODEC_BEHIND);
        }
    }

    /** Decodes one packet if there is one; answers whether there was. */
    public boolean runOnce() {
        if (ring.isEmpty()) {
            return false;
        }
        VoiceDecoder decoder = decoder();
        InputPacket packet = ring.head();
        if (packet.lostSamples() >= UNIT_SAMPLES) {
            fillGap(decoder, packet);
        }
        if (decoder.decode(packet.bytes(), packet.offset(), packet.length()) > 0) {
            emit(decoder, packet);
        } else {
            counters.increment(AudioDrop.INPUT_UNDECODABLE);
        }
        ring.release();
        return true;
    }

    /**
     * What is lost right before a packet comes from the coarse copy in it (RFC 6716 2.1.7), what is
     * lost before that is made up.
     */
    private void fillGap(VoiceDecoder decoder, InputPacket next) {
        int gap = Math.min(next.lostSamples(), MAX_CONCEALED_SAMPLES);
        gap -= gap % UNIT_SAMPLES;
        int copied = Math.min(copiedSamples(next), gap);
        long from = next.offsetSamples() - gap;
        for (int left = gap - copied; left > 0; ) {
            int step = Math.min(left, STEP_SAMPLES);
            emitMade(decoder, from, decoder.conceal(step), true);
            counters.increment(InputRepair.CONCEALMENT);
            left -= step;
            from += step;
        }
        if (copied > 0) {
            int made = decoder.recover(next.bytes(), next.offset(), next.length(), copied);
            emitMade(decoder, from, made, false);
            counters.increment(InputRepair.FEC);
        }
    }

    /** Length of the audio before the packet of which it carries a copy. */
    private int copiedSamples(InputPacket packet) {
        boolean copy =
                isOpus
                        && opus.wrap(packet.bytes(), packet.offset(), packet.length())
                        && opus.hasLbrr();
        return copy ? opus.frameSamples() : 0;
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

    private void emit(VoiceDecoder decoder, InputPacket packet) {
        int level =
                packet.audioLevel() == InputPacket.UNKNOWN
                        ? decoder.levelDbov()
                        : RtpReader.levelDbov(packet.audioLevel());
        int voice = packet.voice();
        if (voice == InputPacket.UNKNOWN) {
            voice = voiceLevel.isVoice(level, packet.samples()) ? 1 : 0;
        }
        emit(decoder, packet.offsetSamples(), 0, level, voice);
    }

    private void emitMade(VoiceDecoder decoder, long offsetSamples, int made, boolean concealed) {
        if (made > 0) {
            int level = decoder.levelDbov();
            emit(decoder, offsetSamples, concealed ? made : 0, level, InputPacket.UNKNOWN);
        }
    }

    private void emit(
            VoiceDecoder decoder, long offsetSamples, int concealed, int levelDbov, int voice) {
        sink.audio(
                offsetSamples,
                decoder.bytes(),
                decoder.lengthBytes(),
                decoder.samples(),
                concealed,
                levelDbov,
                voice);
    }
}
