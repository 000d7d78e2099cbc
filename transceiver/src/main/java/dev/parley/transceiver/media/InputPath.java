package dev.parley.transceiver.media;

import dev.parley.transceiver.audio.OpusPacket;
import java.nio.ByteBuffer;

/**
 * A session's input on the media loop: authenticated RTP payloads go in, packets in order and on
 * the clock come out. Owned by the session.
 */
public final class InputPath implements ReorderBuffer.Output {
    /** Takes packets in order, on the loop's thread. */
    public interface Sink {
        /**
         * One packet.
         *
         * @param offsetSamples where its first sample stands on the input clock, at 48 kHz
         * @param samples its length at 48 kHz
         * @param missing packets before it that were lost
         * @param audioLevel the RFC 6464 byte, or -1
         * @param bytes holds the Opus packet; valid during the call
         */
        void packet(
                long offsetSamples,
                int samples,
                int missing,
                int audioLevel,
                ByteBuffer bytes,
                int offset,
                int length);
    }

    /** Packets that may wait for a missing one. */
    private static final int MAX_HELD = 3;

    private final ReorderBuffer reorder;
    private final InputClock clock = new InputClock();
    private final OpusPacket opus = new OpusPacket();
    private final Sink sink;
    private final AudioCounters counters;
    private boolean newSource;
    private long lost;

    public InputPath(long reorderWaitNanos, Sink sink, AudioCounters counters) {
        this.reorder = new ReorderBuffer(MAX_HELD, reorderWaitNanos, this);
        this.sink = sink;
        this.counters = counters;
    }

    /** Takes an authenticated packet that was not seen before; see {@link ReorderBuffer#accept}. */
    public ReorderBuffer.Verdict accept(
            long sequence,
            int timestamp,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length,
            long nowNanos) {
        return reorder.accept(sequence, timestamp, audioLevel, bytes, offset, length, nowNanos);
    }

    /** The sender goes on with another SSRC: sequence and timestamps have another base. */
    public void sourceChanged(long nowNanos) {
        reorder.restart(nowNanos);
        newSource = true;
    }

    /** Whether a packet waits for a missing one, until {@link #deadlineNanos}. */
    public boolean waiting() {
        return reorder.waiting();
    }

    public long deadlineNanos() {
        return reorder.deadlineNanos();
    }

    public void onDeadline(long nowNanos) {
        reorder.onDeadline(nowNanos);
    }

    /** Packets that never came in time. */
    public long lost() {
        return lost;
    }

    @Override
    public void packet(
            long sequence,
            int timestamp,
            int missing,
            int audioLevel,
            ByteBuffer bytes,
            int offset,
            int length,
            long nowNanos) {
        lost += missing;
        if (!opus.wrap(bytes, offset, length)) {
            counters.increment(AudioDrop.INPUT_MALFORMED);
            return;
        }
        int samples = opus.durationSamples();
        long at = clock.place(timestamp, samples, nowNanos, newSource);
        newSource = false;
        sink.packet(at, samples, missing, audioLevel, bytes, offset, length);
    }
}
