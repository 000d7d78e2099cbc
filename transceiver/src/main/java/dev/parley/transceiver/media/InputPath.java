package dev.parley.transceiver.media;

import dev.parley.rtc.rtp.RedReader;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.rtc.sdp.SdpFormats;
import dev.parley.transceiver.audio.OpusPacket;
import java.nio.ByteBuffer;

/**
 * A session's input on the media loop: authenticated RTP payloads go in, packets in order and on
 * the clock come out, and with them the keys that were pressed. Owned by the session.
 */
public final class InputPath implements ReorderBuffer.Output {
    /** Takes what comes out, on the loop's thread. */
    public interface Sink {
        /** The next packet; valid during the call. */
        void packet(InputPacket packet);

        /**
         * A key of a telephone was pressed and released.
         *
         * @param key 0 to 9, *, #, A to D
         */
        void key(char key, int durationMillis);
    }

    /** Longest packet: as long as the longest of Opus. */
    private static final int MAX_PACKET_SAMPLES = InputClock.RATE_HZ / 1000 * 120;

    private final SdpFormats formats;
    private final boolean isOpus;
    private final ReorderBuffer reorder;
    private final InputClock clock;
    private final OpusPacket opus = new OpusPacket();
    private final RedReader red = new RedReader();
    private final InputPacket out = new InputPacket();
    private final TelephoneKeys keys;
    private final Sink sink;
    private final AudioCounters counters;
    private boolean newSource;
    private boolean voicePassed;
    private boolean afterEvent;
    private int lastTimestamp;
    private int lastSamples;
    private long lost;

    /**
     * @param formats what the client sends
     * @param maxWaitNanos longest wait for a missing packet
     */
    public InputPath(SdpFormats formats, long maxWaitNanos, Sink sink, AudioCounters counters) {
        this.formats = formats;
        this.isOpus = formats.voice().isOpus();
        this.reorder = new ReorderBuffer(maxWaitNanos, this);
        this.clock = new InputClock(formats.voice().clockRateHz());
        this.keys = new TelephoneKeys(Math.max(formats.dtmfClockRateHz(), 1), sink::key);
        this.sink = sink;
        this.counters = counters;
        if (formats.nack()) {
            reorder.gaps().enableRequests();
        }
    }

    /** Whether packets of this payload type were agreed on. */
    public boolean takes(int payloadType) {
        return payloadType == formats.voice().payloadType()
                || payloadType == formats.redPayloadType()
                || payloadType == formats.dtmfPayloadType();
    }

    /**
     * Takes an authenticated packet that was not seen before, of a type that it {@link #takes}; see
     * {@link ReorderBuffer#accept}.
     */
    public ReorderBuffer.Verdict accept(
            long sequence,
            int payloadType,
            int timestamp,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length,
            long nowNanos) {
        if (payloadType == formats.redPayloadType()) {
            return acceptRed(sequence, timestamp, audioLevel, bytes, offset, length, nowNanos);
        }
        ReorderBuffer.Kind kind =
                payloadType == formats.dtmfPayloadType()
                        ? ReorderBuffer.Kind.EVENT
                        : ReorderBuffer.Kind.VOICE;
        return accept(sequence, timestamp, kind, audioLevel, bytes, offset, length, nowNanos);
    }

    private ReorderBuffer.Verdict accept(
            long sequence,
            int timestamp,
            ReorderBuffer.Kind kind,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length,
            long nowNanos) {
        boolean repairs =
                isOpus
                        && kind == ReorderBuffer.Kind.VOICE
                        && opus.wrap(bytes, offset, length)
                        && opus.hasLbrr();
        long before = reorder.gaps().retransmitted();
        ReorderBuffer.Verdict verdict =
                reorder.accept(
                        sequence,
                        timestamp,
                        kind,
                        repairs,
                        audioLevel,
                        bytes,
                        offset,
                        length,
                        nowNanos);
        boolean inTime =
                verdict == ReorderBuffer.Verdict.PASSED || verdict == ReorderBuffer.Verdict.HELD;
        if (inTime && reorder.gaps().retransmitted() > before) {
            counters.increment(InputRepair.RETRANSMISSION);
        }
        return verdict;
    }

    /**
     * RFC 2198: the copies first, so that they are in time for a gap. An exact copy is as good as
     * the packet itself and better than the coarse one that Opus carries.
     */
    private ReorderBuffer.Verdict acceptRed(
            long sequence,
            int timestamp,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length,
            long nowNanos) {
        if (!red.wrap(bytes, offset, length)) {
            // Its place in the sequence is not missing; an empty packet is then counted there.
            return accept(
                    sequence,
                    timestamp,
                    ReorderBuffer.Kind.VOICE,
                    audioLevel,
                    bytes,
                    offset,
                    0,
                    nowNanos);
        }
        int own = red.count() - 1;
        for (int i = own - 1; i >= 0; i--) {
            if (red.payloadType(i) == formats.voice().payloadType()
                    && red.length(i) > 0
                    && reorder.acceptCopy(
                            sequence,
                            timestamp - red.timestampOffset(i),
                            bytes,
                            red.offset(i),
                            red.length(i),
                            nowNanos)) {
                counters.increment(InputRepair.RED);
            }
        }
        boolean known = red.payloadType(own) == formats.voice().payloadType();
        return accept(
                sequence,
                timestamp,
                ReorderBuffer.Kind.VOICE,
                audioLevel,
                bytes,
                red.offset(own),
                known ? red.length(own) : 0,
                nowNanos);
    }

    /** The sender goes on with another SSRC: sequence and timestamps have another base. */
    public void sourceChanged() {
        reorder.restart();
        keys.restart();
        newSource = true;
    }

    /** How long a packet and its answer take, for {@link Gaps}. */
    public void roundTrip(long nanos) {
        reorder.gaps().roundTrip(nanos);
    }

    /** What is missing, and what to ask for again. */
    public Gaps gaps() {
        return reorder.gaps();
    }

    /** Whether something waits for {@link #deadlineNanos}. */
    public boolean waiting() {
        return reorder.waiting() || keys.pressed();
    }

    /** When to call {@link #onDeadline}. */
    public long deadlineNanos() {
        if (!keys.pressed()) {
            return reorder.deadlineNanos();
        }
        if (!reorder.waiting()) {
            return keys.deadlineNanos();
        }
        boolean keyFirst = keys.deadlineNanos() - reorder.deadlineNanos() < 0;
        return keyFirst ? keys.deadlineNanos() : reorder.deadlineNanos();
    }

    /** Gives up what it does not pay to wait for any longer. */
    public void onDeadline(long nowNanos) {
        reorder.onDeadline(nowNanos);
        keys.onDeadline(nowNanos);
    }

    /** Packets that neither came in time nor were found as a copy. */
    public long lost() {
        return lost;
    }

    /** By how much the client's clock is faster than ours; see {@link InputClock#driftPpm}. */
    public double driftPpm() {
        return clock.driftPpm();
    }

    @Override
    public void packet(
            long sequence,
            int timestamp,
            ReorderBuffer.Kind kind,
            int missing,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length,
            long arrivalNanos) {
        lost += missing;
        if (kind == ReorderBuffer.Kind.EVENT) {
            afterEvent = true;
            if (!keys.accept(timestamp, bytes, offset, length, arrivalNanos)) {
                counters.increment(AudioDrop.INPUT_MALFORMED);
            }
            return;
        }
        int samples = samples(bytes, offset, length);
        if (samples == 0) {
            counters.increment(AudioDrop.INPUT_MALFORMED);
            return;
        }
        int gap = lostSamples(timestamp, missing);
        long at = clock.place(timestamp, samples, arrivalNanos, newSource);
        newSource = false;
        afterEvent = false;
        voicePassed = true;
        lastTimestamp = timestamp;
        lastSamples = samples;
        sink.packet(
                out.place(at, samples, gap)
                        .level(audioLevel, voice(audioLevel))
                        .payload(bytes, offset, length));
    }

    /** Length at 48 kHz, or 0 when the payload is none of the codec's. */
    private int samples(ByteBuffer bytes, int offset, int length) {
        if (isOpus) {
            return opus.wrap(bytes, offset, length) ? opus.durationSamples() : 0;
        }
        // RFC 3551 4.5.14: one byte a sample.
        int samples = length * (InputClock.RATE_HZ / formats.voice().clockRateHz());
        return samples <= MAX_PACKET_SAMPLES ? samples : 0;
    }

    /**
     * How much of the time before a packet was lost: as much as the missing packets can have held.
     * What the timestamps skip beyond that was never sent (DTX, RFC 7587 3.1.3).
     */
    private int lostSamples(int timestamp, int missing) {
        if (missing == 0 || !voicePassed || newSource || afterEvent) {
            // What is missing among telephone events is taken for such an event.
            return 0;
        }
        long gap = clock.samplesBetween(lastTimestamp, timestamp) - lastSamples;
        return (int) Math.clamp((long) missing * lastSamples, 0, Math.max(gap, 0));
    }

    /** Whether the packet holds voice, by its sender or else by its encoder. */
    private int voice(int audioLevel) {
        if (audioLevel != RtpReader.ABSENT) {
            return RtpReader.isVoice(audioLevel) ? 1 : 0;
        }
        if (!isOpus || opus.mode() == OpusPacket.Mode.CELT) {
            return InputPacket.UNKNOWN;
        }
        return opus.hasVoice() ? 1 : 0;
    }
}
