package dev.parley.transceiver.media;

import dev.parley.transceiver.audio.VoiceEncoder;
import dev.parley.transceiver.media.OutputItem.Clear;
import dev.parley.transceiver.media.OutputItem.Frame;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the sound of the frames that were encoded last, so that a Clear can let the caller hear
 * how the one that would have come next goes to zero. Owned by the codec thread.
 */
final class FadeOut {
    /**
     * What a decoder is behind: libopus delays voice by 6.5 ms, so of a packet's last samples
     * nothing is heard before the next packet, which is silence here.
     */
    private static final double CODEC_DELAY_MILLIS = 6.5;

    /** Attempts to cut at the frame that is next while the media loop goes on taking them. */
    private static final int ATTEMPTS = 3;

    private static final class Kept {
        final short[] pcm;
        @Nullable PlayedItem item;
        int number;
        int samples;

        Kept(int frameSamples) {
            pcm = new short[frameSamples];
        }

        boolean isSent(PlayedItem of) {
            return number < of.taken();
        }
    }

    /** Samples that go to zero, filled up with silence to whole packets. */
    @SuppressWarnings("ArrayRecordComponent") // One owner, compared by no one.
    private record Ramp(short[] pcm, int samples) {}

    private final int packetMillis;
    private final int frameSamples;
    private final int delaySamples;
    private final int rateFactor;
    private final Kept[] ring;
    private long kept;

    /**
     * @param frames that may be encoded ahead of the one that is sent next
     * @param rateFactor samples at 48 kHz for each of the frames' samples
     */
    FadeOut(int packetMillis, int frameSamples, int frames, int rateFactor) {
        this.packetMillis = packetMillis;
        this.frameSamples = frameSamples;
        this.rateFactor = rateFactor;
        this.delaySamples = (int) (CODEC_DELAY_MILLIS * frameSamples / packetMillis);
        // One was sent before it: the encoder has to hear it first, to go on as the decoder will.
        ring = new Kept[frames + 2];
        Arrays.setAll(ring, _ -> new Kept(frameSamples));
    }

    /** Remembers the frame that the encoder is handing over. */
    void keep(PlayedItem item, VoiceEncoder encoder, int samples) {
        Kept next = ring[(int) (kept++ % ring.length)];
        next.item = item;
        next.number = item.nextMade();
        next.samples = samples;
        encoder.copyFrame(next.pcm, 0, frameSamples);
    }

    /** Whether what is encoded and not sent is enough for any fade. */
    boolean hasEnough() {
        int packets = Math.ceilDiv(Clear.LAST_PACKET_MILLIS, packetMillis);
        int unsent = 0;
        for (long i = oldest(); i < kept; i++) {
            Kept each = at(i);
            PlayedItem item = each.item;
            if (item != null && !each.isSent(item)) {
                unsent++;
            }
        }
        return unsent >= packets;
    }

    /**
     * Makes the packets in which what plays goes to zero, and cuts its item just before them. None
     * when what is cleared is not what would have been sent next.
     *
     * @param running holds the begun frame behind the frames that were kept
     * @param begun the item of that frame, if there is one
     * @param fresh makes an encoder that has heard nothing
     */
    List<Frame> fade(
            Clear clear,
            @Nullable VoiceEncoder running,
            @Nullable PlayedItem begun,
            VoiceEncoder fresh) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            long first = firstUnsent();
            PlayedItem item = first < kept ? at(first).item : begun;
            if (item == null || !clear.matches(item)) {
                return List.of();
            }
            int number = first < kept ? at(first).number : item.taken();
            Ramp ramp = ramp(clear, first, running, begun, item.takeable());
            List<Frame> fade = encode(ramp, first, item, fresh);
            if (item.cutAt(number)) {
                return fade;
            }
        }
        return List.of();
    }

    /** What a Clear drops is not what comes next any more. */
    void forget(Clear clear) {
        for (Kept each : ring) {
            if (each.item != null && clear.matches(each.item) && !each.isSent(each.item)) {
                each.item = null;
            }
        }
    }

    private long oldest() {
        return Math.max(0, kept - ring.length);
    }

    private Kept at(long i) {
        return ring[(int) (i % ring.length)];
    }

    private long firstUnsent() {
        long i = oldest();
        while (i < kept) {
            PlayedItem item = at(i).item;
            if (item != null && !at(i).isSent(item)) {
                return i;
            }
            i++;
        }
        return i;
    }

    /** What would have been heard next, going to zero within so many packets at most. */
    private Ramp ramp(
            Clear clear,
            long first,
            @Nullable VoiceEncoder running,
            @Nullable PlayedItem begun,
            int mostPackets) {
        int wanted = clear.fadeMillis() * frameSamples / packetMillis;
        int packets = Math.min(mostPackets, Math.ceilDiv(wanted + delaySamples, frameSamples));
        int room = Math.clamp(packets * frameSamples - delaySamples, 0, wanted);
        short[] pcm = new short[packets * frameSamples];
        int length = 0;
        for (long i = first; i < kept && length < room; i++) {
            Kept each = at(i);
            if (each.item != null && clear.matches(each.item)) {
                int copied = Math.min(each.samples, room - length);
                System.arraycopy(each.pcm, 0, pcm, length, copied);
                length += copied;
            }
        }
        if (running != null && begun != null && clear.matches(begun)) {
            int copied = Math.min(running.waitingSamples(), room - length);
            running.copyFrame(pcm, length, copied);
            length += copied;
        }
        for (int i = 0; i < length; i++) {
            pcm[i] = (short) Math.round(pcm[i] * (1 + Math.cos(Math.PI * (i + 1) / length)) / 2);
        }
        return new Ramp(pcm, length);
    }

    private List<Frame> encode(Ramp ramp, long first, PlayedItem item, VoiceEncoder fresh) {
        fresh.reset();
        if (first > oldest() && at(first - 1).item != null) {
            fresh.encodeFrame(at(first - 1).pcm, (_, _, _) -> {});
        }
        List<Frame> frames = new ArrayList<>();
        int end = ramp.samples() == 0 ? 0 : ramp.samples() + delaySamples;
        for (int start = 0; start < end; start += frameSamples) {
            short[] frame = Arrays.copyOfRange(ramp.pcm(), start, start + frameSamples);
            int silent = frameSamples - Math.clamp(ramp.samples() - start, 0, frameSamples);
            fresh.encodeFrame(
                    frame,
                    (bytes, offset, length) -> {
                        byte[] payload = new byte[length];
                        bytes.get(offset, payload);
                        frames.add(
                                new Frame(
                                        item,
                                        payload,
                                        frameSamples * rateFactor,
                                        silent * rateFactor,
                                        0,
                                        item.saidNanos()));
                    });
        }
        return frames;
    }
}
