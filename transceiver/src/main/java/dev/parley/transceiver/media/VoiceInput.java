package dev.parley.transceiver.media;

import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import dev.parley.transceiver.audio.PcmDecoder;
import dev.parley.transceiver.audio.VoiceDecoder;
import dev.parley.transceiver.speech.SileroVad;
import dev.parley.transceiver.speech.SpeechDetector;
import dev.parley.transceiver.speech.SpeechGate;
import dev.parley.transceiver.speech.SpeechSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a session's input for those that want PCM: inference, in the format that it asked for,
 * and the detector of speech. The media loop hands packets over; the session's codec thread calls
 * {@link #runOnce}.
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

    /**
     * Where packets come from and how they are decoded.
     *
     * @param isOpus whether packets are Opus, which can carry copies of one another
     * @param decoders makes a decoder to a format, on the codec thread
     */
    public record Source(boolean isOpus, Function<InferenceFormat, VoiceDecoder> decoders) {}

    /** Packets that may wait for the codec thread: 1.3 s. */
    private static final int RING_PACKETS = 64;

    /** What the detector hears. */
    private static final InferenceFormat DETECTED =
            new InferenceFormat(Encoding.LINEAR16, SileroVad.RATE_HZ);

    /** Packets may be late by this before their absence is taken for silence. */
    private static final long LATE_NANOS = 150_000_000L;

    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final PacketRing ring = new PacketRing(RING_PACKETS);
    private final List<PacketDecoder> decoders = new ArrayList<>(2);
    private final Source source;
    private final AudioCounters counters;
    private @Nullable SpeechDetector detector;
    private long silenceNanos;
    private long silenceSamples;
    private long heardNanos;
    private @Nullable PacketDecoder detectorsOwn;

    /** What another thread wants, null for no detection; to be taken over by the codec thread. */
    private volatile @Nullable SpeechSettings wanted;

    private volatile boolean wantedChanged;
    private SpeechGate.@Nullable Listener listener;

    /** Nobody wants PCM yet. */
    public VoiceInput(Source source, AudioCounters counters) {
        this.source = source;
        this.counters = counters;
    }

    /** Decodes to a PCM format; before the first packet. */
    public VoiceInput decode(InferenceFormat format, Sink sink) {
        PacketDecoder.Sink pieces =
                (decoder, offset, concealed, level, voice) -> {
                    sink.audio(
                            offset,
                            decoder.bytes(),
                            decoder.lengthBytes(),
                            decoder.samples(),
                            concealed,
                            level,
                            voice);
                    if (format.equals(DETECTED)) {
                        detect(decoder, offset);
                    }
                };
        decoders.add(decoder(format, pieces, counters));
        return this;
    }

    /** Listens for speech, or can do so later; after {@link #decode}, before the first packet. */
    public VoiceInput detect(
            @Nullable SpeechSettings settings,
            boolean alreadyDecoded,
            SpeechGate.Listener toListener) {
        listener = toListener;
        redetect(settings);
        if (!alreadyDecoded) {
            detectorsOwn =
                    decoder(
                            DETECTED,
                            (decoder, offset, _, _, _) -> detect(decoder, offset),
                            decoders.isEmpty() ? counters : null);
            decoders.add(detectorsOwn);
        }
        return this;
    }

    /**
     * Listens for speech so from now on, null for not at all, after {@link #detect}; any thread.
     * Speech that goes on when it is no longer listened for does not stop.
     */
    public void redetect(@Nullable SpeechSettings settings) {
        wanted = settings;
        wantedChanged = true;
    }

    private void takeWish() {
        if (!wantedChanged) {
            return;
        }
        wantedChanged = false;
        SpeechSettings settings = wanted;
        SpeechDetector before = detector;
        if (settings == null || listener == null) {
            detector = null;
            return;
        }
        if (before == null) {
            detector = new SpeechDetector(settings, listener);
        } else {
            before.use(settings);
        }
        silenceNanos = settings.silenceDurationMillis() * NANOS_PER_MILLI;
        silenceSamples = settings.silenceDurationMillis() * (InputClock.RATE_HZ / 1_000L);
    }

    /** Whether the detector can hear what is decoded to this format. */
    public static boolean isDetected(InferenceFormat format) {
        return format.equals(DETECTED);
    }

    private PacketDecoder decoder(
            InferenceFormat format, PacketDecoder.Sink sink, @Nullable AudioCounters counting) {
        return new PacketDecoder(
                source.isOpus(), () -> source.decoders().apply(format), sink, counting);
    }

    private void detect(VoiceDecoder decoder, long offsetSamples) {
        if (detector != null) {
            detector.accept(offsetSamples, decoder.pcm(), decoder.samples());
        }
    }

    /** Takes a packet over, on the loop's thread. */
    public void packet(InputPacket packet) {
        if (packet.length() > PcmDecoder.MAX_PACKET_BYTES || !ring.offer(packet)) {
            counters.increment(AudioDrop.INPUT_CODEC_BEHIND);
        }
    }

    /** Decodes one packet if there is one; answers whether there was anything to do. */
    public boolean runOnce(long nowNanos) {
        takeWish();
        if (ring.isEmpty()) {
            return fallSilent(nowNanos);
        }
        heardNanos = nowNanos;
        InputPacket packet = ring.head();
        boolean decoded = true;
        for (int i = 0; i < decoders.size(); i++) {
            PacketDecoder decoder = decoders.get(i);
            decoded &= (decoder == detectorsOwn && detector == null) || decoder.decode(packet);
        }
        if (!decoded) {
            counters.increment(AudioDrop.INPUT_UNDECODABLE);
        }
        ring.release();
        return true;
    }

    /** Whether speech goes on, so that silence would end it at {@link #silenceDeadlineNanos}. */
    public boolean silenceWaits() {
        return detector != null && detector.speaking();
    }

    /** When {@link #runOnce} takes the absence of packets for silence. */
    public long silenceDeadlineNanos() {
        return heardNanos + silenceNanos + LATE_NANOS;
    }

    /** A client that is silent (DTX), muted or gone sends nothing that could end speech. */
    private boolean fallSilent(long nowNanos) {
        SpeechDetector listening = detector;
        if (listening == null || !listening.speaking() || silenceDeadlineNanos() - nowNanos > 0) {
            return false;
        }
        listening.silence(silenceSamples);
        return true;
    }

    /** Frees the decoders; on the codec thread. */
    @Override
    public void close() {
        for (PacketDecoder decoder : decoders) {
            decoder.close();
        }
    }
}
