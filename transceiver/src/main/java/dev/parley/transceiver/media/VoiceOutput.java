package dev.parley.transceiver.media;

import com.google.protobuf.ByteString;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.audio.VoiceEncoder;
import dev.parley.transceiver.media.OutputItem.Clear;
import dev.parley.transceiver.media.OutputItem.Frame;
import dev.parley.transceiver.media.OutputItem.Hangup;
import dev.parley.transceiver.media.OutputItem.Mark;
import dev.parley.transceiver.media.OutputItem.Pause;
import dev.parley.transceiver.media.OutputItem.Resume;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Encodes inference's PCM for the client a little ahead of its time, so that what is cleared was
 * not encoded for nothing. The thread that reads inference's stream hands audio over; the session's
 * codec thread calls {@link #runOnce}.
 */
public final class VoiceOutput implements OutputTarget, AutoCloseable {
    private static final int SAMPLES_PER_MILLI = InputClock.RATE_HZ / 1000;

    /** Audio encoded ahead: enough for the media loop to never wait for this thread. */
    private static final int MILLIS_AHEAD = 200;

    /** With this much left, more is to be encoded. */
    private static final int LOW_WATER_MILLIS = 120;

    /** After this long without more audio, the begun frame is filled up with silence. */
    private static final long FLUSH_NANOS = 40_000_000L;

    /** Is told what no longer counts for the {@link Backlog}. */
    @FunctionalInterface
    public interface Released {
        void released(long samples, long bytes);
    }

    private sealed interface Work {
        record Pcm(PlayedItem item, ByteString bytes, int surcharge, long saidNanos)
                implements Work {}

        record Item(OutputItem item) implements Work {}
    }

    private final Queue<Work> mailbox = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<Work> pending = new ArrayDeque<>();
    private final ArrayDeque<OutputItem> behindFrame = new ArrayDeque<>();
    private final FadeOut fadeOut;
    private final Supplier<VoiceEncoder> encoders;
    private final int bytesPerSample;
    private final int rateFactor;
    private final int packetMillis;
    private final int frameSamples;
    private final OutputInbox inbox;
    private final Released released;
    private @Nullable VoiceEncoder opened;
    private volatile @Nullable OpusSettings wanted;
    private @Nullable OpusSettings applied;
    private int taken;
    private @Nullable PlayedItem encoding;
    private long encodedSaidNanos;
    private long lastAudioNanos;

    /**
     * @param packetMillis length of each packet that the encoder makes
     * @param encoders makes the encoder, once, on the codec thread
     * @param released told what no longer counts: audio that was cleared here, what short messages
     *     were charged beyond their audio, and the memory of messages that are encoded
     */
    public VoiceOutput(
            InferenceFormat format,
            int packetMillis,
            Supplier<VoiceEncoder> encoders,
            OutputInbox inbox,
            Released released) {
        this.encoders = encoders;
        this.rateFactor = InputClock.RATE_HZ / format.sampleRateHz();
        this.packetMillis = packetMillis;
        this.frameSamples = format.sampleRateHz() / 1000 * packetMillis;
        this.bytesPerSample = format.bytesPerSample();
        this.inbox = inbox;
        this.released = released;
        this.fadeOut =
                new FadeOut(packetMillis, frameSamples, MILLIS_AHEAD / packetMillis, rateFactor);
    }

    @Override
    public void audio(PlayedItem item, ByteString bytes, int samples) {
        mailbox.add(new Work.Pcm(item, bytes, Backlog.surcharge(samples), item.saidNanos()));
    }

    @Override
    public void item(OutputItem item) {
        mailbox.add(new Work.Item(item));
    }

    /** Does one step, at most one frame's encoding; answers whether there was anything to do. */
    public boolean runOnce(long nowNanos) {
        boolean received = receive(nowNanos);
        return switch (pending.peek()) {
            case null -> flushIfDue(nowNanos) || received;
            case Work.Pcm _ when inbox.framesAhead() >= MILLIS_AHEAD / packetMillis -> received;
            case Work.Pcm pcm -> {
                encode(pcm);
                yield true;
            }
            case Work.Item(OutputItem item) -> {
                pending.remove();
                pass(item);
                yield true;
            }
        };
    }

    /** Encodes what comes next with other settings; any thread may say so. */
    public void steer(OpusSettings settings) {
        wanted = settings;
    }

    /** Whether so little is encoded ahead that the codec thread is to be woken. */
    public boolean runsLow() {
        return inbox.framesAhead() <= LOW_WATER_MILLIS / packetMillis;
    }

    /** Whether a begun frame waits for {@link #flushDeadlineNanos}. */
    public boolean flushWaits() {
        return pending.isEmpty() && waitingSamples() > 0;
    }

    public long flushDeadlineNanos() {
        return lastAudioNanos + FLUSH_NANOS;
    }

    private boolean receive(long nowNanos) {
        boolean received = false;
        for (Work work = mailbox.poll(); work != null; work = mailbox.poll()) {
            received = true;
            switch (work) {
                // These three wait for nothing that is queued.
                case Work.Item(Clear clear) -> clear(clear);
                case Work.Item(OutputItem now) when now instanceof Pause || now instanceof Resume ->
                        inbox.item(now);
                case Work.Item item -> pending.add(item);
                case Work.Pcm pcm -> {
                    pending.add(pcm);
                    lastAudioNanos = nowNanos;
                }
            }
        }
        return received;
    }

    private void encode(Work.Pcm pcm) {
        if (encoding != pcm.item()) {
            flush();
            encoding = pcm.item();
        }
        encodedSaidNanos = pcm.saidNanos();
        int wanted = (frameSamples - waitingSamples()) * bytesPerSample;
        int length = Math.min(wanted, pcm.bytes().size() - taken);
        ByteBuffer audio = pcm.bytes().asReadOnlyByteBuffer();
        // A byte string may be part of a larger array: its buffer begins at the position, not at 0.
        int start = audio.position() + taken;
        encoder().encode(audio, start, length, (bytes, at, size) -> emit(bytes, at, size, 0));
        taken += length;
        if (taken == pcm.bytes().size()) {
            taken = 0;
            pending.remove();
            released.released(pcm.surcharge(), Backlog.chargeBytes(pcm.bytes().size()));
        }
    }

    private void pass(OutputItem item) {
        switch (item) {
            case Hangup _ -> {
                flush();
                inbox.item(item);
            }
            // What was said before the mark is still in the begun frame.
            case Mark _ when waitingSamples() > 0 -> behindFrame.add(item);
            case Mark _, Clear _, Pause _, Resume _, Frame _ -> inbox.item(item);
        }
    }

    private boolean flushIfDue(long nowNanos) {
        if (!flushWaits() || inbox.framesAhead() > 1 || nowNanos - flushDeadlineNanos() < 0) {
            return false;
        }
        flush();
        return true;
    }

    private void flush() {
        if (opened != null) {
            // Without samples half of one may still wait, which what comes next must not get.
            int padding = atClock(frameSamples - waitingSamples());
            encoder().flush((bytes, at, size) -> emit(bytes, at, size, padding));
        }
    }

    private void emit(ByteBuffer bytes, int offset, int length, int paddingSamples) {
        PlayedItem item = encoding;
        if (item == null) {
            return;
        }
        byte[] payload = new byte[length];
        bytes.get(offset, payload);
        fadeOut.keep(item, encoder(), frameSamples - paddingSamples / rateFactor);
        int samples = packetMillis * SAMPLES_PER_MILLI;
        inbox.item(new Frame(item, payload, samples, paddingSamples, 0, encodedSaidNanos));
        while (!behindFrame.isEmpty()) {
            inbox.item(behindFrame.remove());
        }
    }

    private void clear(Clear clear) {
        List<Frame> fade = fade(clear);
        fadeOut.forget(clear);
        long cut = 0;
        long surcharges = 0;
        long freedBytes = 0;
        boolean cutBefore = false;
        PlayedItem begun = encoding;
        if (begun != null && waitingSamples() > 0 && clear.matches(begun)) {
            cut += atClock(waitingSamples());
            cutBefore = true;
        }
        if (begun != null && clear.matches(begun)) {
            encoder().reset();
            encoding = null;
        }
        ArrayDeque<Mark> marks = new ArrayDeque<>();
        while (behindFrame.poll() instanceof Mark mark) {
            marks.add(new Mark(mark.name(), mark.cleared() || cutBefore));
        }
        int takenOfHead = taken;
        for (int i = pending.size(); i > 0; i--) {
            switch (pending.remove()) {
                case Work.Pcm(PlayedItem item, ByteString bytes, int surcharge, _)
                        when clear.matches(item) -> {
                    surcharges += surcharge;
                    freedBytes += Backlog.chargeBytes(bytes.size());
                    cut += atClock((bytes.size() - takenOfHead) / bytesPerSample);
                    cutBefore = true;
                    if (takenOfHead > 0) {
                        taken = 0;
                    }
                }
                case Work.Item(Mark mark) ->
                        pending.add(
                                new Work.Item(new Mark(mark.name(), mark.cleared() || cutBefore)));
                case Work.Pcm pcm -> {
                    pending.add(pcm);
                    cutBefore = false;
                }
                case Work other -> pending.add(other);
            }
            takenOfHead = 0;
        }
        released.released(cut + surcharges, freedBytes);
        inbox.item(new Clear(clear.responseId(), cut, clear.fadeMillis(), fade));
        while (!marks.isEmpty()) {
            pass(marks.remove());
        }
    }

    private List<Frame> fade(Clear clear) {
        VoiceEncoder running = opened;
        if (clear.fadeMillis() == 0 || running == null) {
            return List.of();
        }
        while (!fadeOut.hasEnough()
                && pending.peek() instanceof Work.Pcm pcm
                && clear.matches(pcm.item())) {
            encode(pcm);
        }
        PlayedItem begun = waitingSamples() > 0 ? encoding : null;
        // The running one is at what was encoded ahead, or is needed for what goes on.
        try (VoiceEncoder fresh = encoders.get()) {
            if (applied != null) {
                fresh.apply(applied);
            }
            return fadeOut.fade(clear, running, begun, fresh);
        }
    }

    private VoiceEncoder encoder() {
        VoiceEncoder encoder = opened;
        if (encoder == null) {
            encoder = encoders.get();
            opened = encoder;
        }
        OpusSettings settings = wanted;
        if (settings != null && !settings.equals(applied)) {
            encoder.apply(settings);
            applied = settings;
        }
        return encoder;
    }

    private int waitingSamples() {
        return opened == null ? 0 : opened.waitingSamples();
    }

    /** Frees the encoder; on the codec thread. */
    @Override
    public void close() {
        if (opened != null) {
            opened.close();
            opened = null;
        }
    }

    private int atClock(int samples) {
        return samples * rateFactor;
    }
}
