package dev.parley.transceiver.media;

import dev.parley.rtc.rtp.RtpReader;
import dev.parley.transceiver.audio.OpusPacket;
import dev.parley.transceiver.audio.VoiceDecoder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decodes input packets in order and fills in what was lost between them. Owned by a session's
 * {@link VoiceInput} and its codec thread.
 */
final class PacketDecoder implements AutoCloseable {
    /** Takes what is decoded. */
    interface Sink {
        /**
         * A piece of audio, which the decoder holds during the call.
         *
         * @param offsetSamples where it begins on the input clock, at 48 kHz
         * @param concealed how many of its samples were made up
         * @param levelDbov its level, -127 to 0
         * @param voice 1 when it holds voice, 0 when not, or {@link InputPacket#UNKNOWN}
         */
        void piece(
                VoiceDecoder decoder, long offsetSamples, int concealed, int levelDbov, int voice);
    }

    /** Longest gap that is filled: what an ear can still make sense of. The rest stays a gap. */
    private static final int MAX_CONCEALED_SAMPLES = InputClock.RATE_HZ / 1000 * 120;

    private static final int STEP_SAMPLES = InputClock.RATE_HZ / 1000 * 20;

    /** Opus makes audio in units of 2.5 ms. */
    private static final int UNIT_SAMPLES = InputClock.RATE_HZ / 400;

    private final OpusPacket opus = new OpusPacket();
    private final VoiceLevel voiceLevel = new VoiceLevel();
    private final boolean isOpus;
    private final Supplier<VoiceDecoder> decoders;
    private final Sink sink;
    private final @Nullable AudioCounters counters;
    private @Nullable VoiceDecoder opened;

    /**
     * @param isOpus whether packets are Opus, which can carry copies of one another
     * @param decoders makes the decoder, once, on the codec thread
     * @param counters where repairs are counted; null when another counts them
     */
    PacketDecoder(
            boolean isOpus,
            Supplier<VoiceDecoder> decoders,
            Sink sink,
            @Nullable AudioCounters counters) {
        this.isOpus = isOpus;
        this.decoders = decoders;
        this.sink = sink;
        this.counters = counters;
    }

    /** Decodes what was lost before the packet, then the packet; false when it cannot be. */
    boolean decode(InputPacket packet) {
        VoiceDecoder decoder = decoder();
        if (packet.lostSamples() >= UNIT_SAMPLES) {
            fillGap(decoder, packet);
        }
        if (decoder.decode(packet.bytes(), packet.offset(), packet.length()) <= 0) {
            return false;
        }
        emit(decoder, packet);
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
            count(InputRepair.CONCEALMENT);
            left -= step;
            from += step;
        }
        if (copied > 0) {
            int made = decoder.recover(next.bytes(), next.offset(), next.length(), copied);
            emitMade(decoder, from, made, false);
            count(InputRepair.FEC);
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
        sink.piece(decoder, packet.offsetSamples(), 0, level, voice);
    }

    private void emitMade(VoiceDecoder decoder, long offsetSamples, int made, boolean concealed) {
        if (made > 0) {
            int level = decoder.levelDbov();
            sink.piece(decoder, offsetSamples, concealed ? made : 0, level, InputPacket.UNKNOWN);
        }
    }

    private void count(InputRepair repair) {
        if (counters != null) {
            counters.increment(repair);
        }
    }
}
