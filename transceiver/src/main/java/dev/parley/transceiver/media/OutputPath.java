package dev.parley.transceiver.media;

import dev.parley.rtc.rtp.RtpWriter;
import dev.parley.transceiver.media.OutputItem.Frame;
import java.nio.ByteBuffer;

/**
 * A session's output stream on the media loop: one packet whenever one is due, speech from the
 * playout or else silence, on an absolute schedule that neither late calls nor stutters of the
 * source can shift. Owned by the session.
 *
 * <p>Silence is sent, not left out: NAT bindings and jitter buffers stay warm, and sequence numbers
 * and timestamps go on without a break.
 */
public final class OutputPath {
    /**
     * RFC 6716 3.1: TOC 31 &lt;&lt; 3 is CELT, fullband, 20 ms; an empty frame decodes to silence.
     */
    private static final byte[] SILENCE = {(byte) 0xF8, (byte) 0xFF, (byte) 0xFE};

    private static final int SILENCE_SAMPLES = InputClock.RATE_HZ / 50;
    private static final long NANOS_PER_MILLI = 1_000_000L;
    private static final int SAMPLES_PER_MILLI = InputClock.RATE_HZ / 1000;

    /**
     * A later schedule than this is not caught up with a burst; time is skipped instead, as if it
     * had been silent, and what waits is said after it. More packets at a time than these would be
     * thrown away by a jitter buffer that has just run dry.
     */
    private static final long MAX_CATCH_UP_NANOS = 120 * NANOS_PER_MILLI;

    private final int ssrc;
    private final int payloadType;
    private final Playout playout;
    private int sequence;
    private int timestamp;
    private boolean started;
    private boolean jumped;
    private long dueNanos;
    private long packets;
    private long octets;

    /**
     * @param payloadType of Opus, in the client's numbering
     * @param firstSequence random, RFC 3550 5.1
     * @param firstTimestamp random
     */
    public OutputPath(
            int ssrc, int payloadType, int firstSequence, int firstTimestamp, Playout playout) {
        this.ssrc = ssrc;
        this.payloadType = payloadType;
        this.sequence = firstSequence & 0xFFFF;
        this.timestamp = firstTimestamp;
        this.playout = playout;
    }

    /** Lets the first packet be due now. */
    public void start(long nowNanos) {
        started = true;
        dueNanos = nowNanos;
    }

    public boolean started() {
        return started;
    }

    /** When the next packet is due. */
    public long dueNanos() {
        return dueNanos;
    }

    /**
     * Writes the packet that is due, whatever the time is, and sets when the next one is.
     *
     * @param into with room for an RTP header and any Opus packet
     * @return bytes written
     */
    public int write(long nowNanos, ByteBuffer into, int offset) {
        skipIfFarBehind(nowNanos);
        Frame frame = playout.poll(nowNanos);
        byte[] payload = frame == null ? SILENCE : frame.opus();
        int samples = frame == null ? SILENCE_SAMPLES : frame.samples();
        // RFC 3551 4.1: the marker bit tells the first packet after silence, and with it where a
        // jitter buffer may adapt.
        boolean marker = frame != null && (playout.spurtStart() || jumped);
        jumped = false;
        RtpWriter.writeHeader(into, offset, marker, payloadType, sequence, timestamp, ssrc);
        into.put(offset + RtpWriter.HEADER_LENGTH, payload);
        sequence = (sequence + 1) & 0xFFFF;
        advance(samples);
        packets++;
        octets += payload.length;
        return RtpWriter.HEADER_LENGTH + payload.length;
    }

    /** What the stream's RTP clock shows, for sender reports (RFC 3550 6.4.1). */
    public int timestampAt(long nowNanos) {
        return timestamp - (int) ((dueNanos - nowNanos) * SAMPLES_PER_MILLI / NANOS_PER_MILLI);
    }

    public long packets() {
        return packets;
    }

    /** Payload bytes sent. */
    public long octets() {
        return octets;
    }

    private void skipIfFarBehind(long nowNanos) {
        long behind = nowNanos - dueNanos;
        if (behind > MAX_CATCH_UP_NANOS) {
            long steps = behind / NANOS_PER_MILLI / 20;
            dueNanos += steps * 20 * NANOS_PER_MILLI;
            timestamp += (int) (steps * SILENCE_SAMPLES);
            jumped = true;
        }
    }

    private void advance(int samples) {
        timestamp += samples;
        // 2.5 ms, Opus' unit, is a whole number of nanoseconds: the schedule has no drift.
        dueNanos += samples * NANOS_PER_MILLI / SAMPLES_PER_MILLI;
    }
}
