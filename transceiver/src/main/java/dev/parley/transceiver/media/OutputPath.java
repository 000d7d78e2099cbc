package dev.parley.transceiver.media;

import dev.parley.rtc.rtp.RtpWriter;
import dev.parley.transceiver.media.OutputItem.Frame;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A session's output stream on the media loop: one packet whenever one is due, speech from the
 * playout or else silence, on an absolute schedule that neither late calls nor stutters of the
 * source can shift; only what would wait for nothing has it {@link CatchUp}. Owned by the session.
 *
 * <p>Silence is sent, not left out: NAT bindings and jitter buffers stay warm, and sequence numbers
 * and timestamps go on without a break. Only a client that prefers DTX gets a little silence and
 * then a packet every 400 ms.
 */
public final class OutputPath {
    /** Sees what is sent. */
    @FunctionalInterface
    public interface Tap {
        /**
         * A packet is about to be sent.
         *
         * @param payload never changed afterwards
         * @param atSamples its place on the stream's clock, at 48 kHz
         * @param samples its length at 48 kHz
         */
        void sent(byte[] payload, long atSamples, int samples);
    }

    private static final long NANOS_PER_MILLI = 1_000_000L;
    private static final int SAMPLES_PER_MILLI = InputClock.RATE_HZ / 1000;

    /**
     * A later schedule than this is not caught up with a burst; time is skipped instead, as if it
     * had been silent, and what waits is said after it. More packets at a time than these would be
     * thrown away by a jitter buffer that has just run dry.
     */
    private static final long MAX_CATCH_UP_NANOS = 120 * NANOS_PER_MILLI;

    /** Silence that is sent whole before DTX begins: it takes a decoder's memory of speech away. */
    private static final int DTX_AFTER_SAMPLES = 100 * SAMPLES_PER_MILLI;

    /** Longer silence is a pause; a shorter one fills in for speech that came too late. */
    private static final int PAUSE_SAMPLES = 100 * SAMPLES_PER_MILLI;

    /**
     * With the schedule that far ahead of our clock, speech after a pause waits for its turn: a
     * client must hold what comes early.
     */
    private static final long MOST_AHEAD_NANOS = 20 * NANOS_PER_MILLI;

    /** As libopus does it; RFC 3389 and NAT bindings want less than it. */
    private static final int DTX_INTERVAL_SAMPLES = 400 * SAMPLES_PER_MILLI;

    /** RFC 6716 3.2.1: a packet of at most 2 bytes stands for frames that are not sent. */
    private static final int DTX_BYTES = 2;

    /** CELT, fullband, 20 ms, and no frame. */
    private static final byte[] DTX = {(byte) 0xF8};

    private static final int LOWER_HALF = 0x7FFF;

    private int ssrc;
    private final OutputFormat format;
    private final Playout playout;
    private final CatchUp catchUp;
    private final Grace grace = new Grace();
    private int sequence;
    private final int firstTimestamp;
    private long samples;
    private boolean started;
    private boolean jumped;
    private long dueNanos;
    private boolean spoke;
    private long spokeSamplesAgo;
    private @Nullable PlayedItem filledUp;
    private boolean lateFill;
    private long caughtUpNanos;
    private int untilSentSamples;
    private long packets;
    private long octets;
    private @Nullable Tap tap;

    /**
     * @param firstSequence random, RFC 3550 5.1; see {@link #firstSequence}
     * @param firstTimestamp random
     * @param liveNanos speech that always waits at most this long for its packet is spoken in real
     *     time, and the schedule catches up with it; 0 never
     */
    public OutputPath(
            int ssrc,
            OutputFormat format,
            int firstSequence,
            int firstTimestamp,
            Playout playout,
            long liveNanos) {
        this.ssrc = ssrc;
        this.format = format;
        this.sequence = firstSequence & 0xFFFF;
        this.firstTimestamp = firstTimestamp;
        this.playout = playout;
        this.catchUp = new CatchUp(liveNanos, playout.cushionNanos());
    }

    /**
     * Draws a first sequence number, RFC 3550 5.1, from the lower half. RFC 3711 3.3.1: a receiver
     * cannot tell that the number has wrapped before the first packet that reaches it, and then
     * authenticates nothing for ever. So minutes must be lost until that can happen.
     */
    public static int firstSequence(RandomGenerator random) {
        return random.nextInt(LOWER_HALF + 1);
    }

    /** Has somebody see what is sent. */
    public void tap(Tap seesAll) {
        tap = seesAll;
    }

    /**
     * Lets the first packet be due now, or as soon as those of other calls are: a loop that carries
     * many of them then has all that is due in a step of {@link CatchUp} leave together. Opus'
     * unit, of which every packet's length is a multiple, is that long as well.
     */
    public void start(long nowNanos) {
        started = true;
        dueNanos = onGrid(nowNanos);
    }

    private static long onGrid(long nanos) {
        return nanos + Math.floorMod(-nanos, CatchUp.STEP_NANOS);
    }

    /** Goes on as another source, RFC 3550 8.2, whose numbers begin in the lower half, too. */
    public void changeSource(int newSsrc) {
        ssrc = newSsrc;
        sequence &= LOWER_HALF;
    }

    /** Whether nothing has been said for so long that what comes next may leave when it comes. */
    public boolean pausing() {
        return spokeSamplesAgo > PAUSE_SAMPLES;
    }

    /** A turn begins that writes what is due, from {@link #dueNanos} on. */
    public void turn(long nowNanos) {
        grace.turn(nowNanos, dueNanos);
    }

    /** Whether what comes next leaves when it comes, though its time by the schedule is another. */
    public boolean awaits() {
        return pausing() || grace.late();
    }

    /** Lets what is said after a pause leave when it comes, not when more silence would be due. */
    public void hasten(long nowNanos) {
        if (!pausing() || caughtUpNanos >= MOST_AHEAD_NANOS) {
            return;
        }
        long first = playout.firstNanos(nowNanos);
        long earlier = first == Long.MAX_VALUE ? 0 : dueNanos - onGrid(first);
        if (earlier > 0) {
            caughtUpNanos += earlier;
            dueNanos -= earlier;
        }
    }

    /** Sequence number of the next packet. */
    public int sequence() {
        return sequence;
    }

    public boolean started() {
        return started;
    }

    /** When the next packet is due, with what is queued now. */
    public long dueNanos() {
        boolean mayCome = spoke && spokeSamplesAgo == 0 && playout.dry();
        return mayCome ? grace.silenceNanos(dueNanos) : dueNanos;
    }

    /**
     * Writes the packet that is due, whatever the time is, and sets when the next one is.
     *
     * @param into with room for an RTP header and any payload
     * @return bytes written, 0 when DTX leaves the packet out
     */
    public int write(long nowNanos, ByteBuffer into, int offset) {
        skipIfFarBehind(nowNanos);
        Frame frame = playout.poll(nowNanos);
        byte[] payload = frame == null ? silence() : frame.payload();
        int advance = frame == null ? format.silenceSamples() : frame.samples();
        keepUp(frame, advance);
        if (format.dtx() && isLeftOut(payload.length, advance)) {
            advance(advance);
            return 0;
        }
        // RFC 3551 4.1: the marker bit tells the first packet after silence, and with it where a
        // jitter buffer may adapt.
        boolean marker = frame != null && (playout.spurtStart() || jumped);
        jumped = false;
        RtpWriter.writeHeader(
                into, offset, marker, format.payloadType(), sequence, timestamp(), ssrc);
        into.put(offset + RtpWriter.HEADER_LENGTH, payload);
        if (tap != null) {
            tap.sent(payload, samples, advance);
        }
        sequence = (sequence + 1) & 0xFFFF;
        advance(advance);
        packets++;
        octets += payload.length;
        return RtpWriter.HEADER_LENGTH + payload.length;
    }

    /**
     * Lets the packet that is due pass unsent, as it would have gone out. It takes no sequence
     * number: after 32,768 that were left out a receiver could not tell how often they have wrapped
     * (RFC 3711 3.3.1).
     */
    public void withhold(long nowNanos) {
        skipIfFarBehind(nowNanos);
        Frame frame = playout.poll(nowNanos);
        jumped = true;
        advance(frame == null ? format.silenceSamples() : frame.samples());
    }

    private void keepUp(@Nullable Frame frame, int length) {
        if (frame == null) {
            spokeSamplesAgo += length;
            lateFill |= grace.late();
            // What was sent early is made up for where nobody hears it: over the call our clock is
            // right.
            if (caughtUpNanos > 0 && pausing()) {
                caughtUpNanos -= CatchUp.STEP_NANOS;
                dueNanos += CatchUp.STEP_NANOS;
            }
            return;
        }
        if (pausing()) {
            catchUp.begin();
        } else if (spokeSamplesAgo > 0 || frame.item() == filledUp) {
            // Silence had to fill in, if only the rest of a packet that speech goes on behind.
            catchUp.resume(lateFill);
        }
        spoke = true;
        spokeSamplesAgo = 0;
        filledUp = frame.paddingSamples() > 0 ? frame.item() : null;
        lateFill = false;
        long earlier = catchUp.left(dueNanos - frame.saidNanos(), nanos(length));
        caughtUpNanos += earlier;
        dueNanos -= earlier;
    }

    private byte[] silence() {
        return format.dtx() && spokeSamplesAgo >= DTX_AFTER_SAMPLES ? DTX : format.silence();
    }

    private boolean isLeftOut(int length, int advance) {
        if (length > DTX_BYTES) {
            untilSentSamples = 0;
            return false;
        }
        untilSentSamples -= advance;
        if (untilSentSamples > 0) {
            return true;
        }
        untilSentSamples = DTX_INTERVAL_SAMPLES;
        return false;
    }

    /** What the stream's RTP clock shows, for sender reports (RFC 3550 6.4.1). */
    public int timestampAt(long nowNanos) {
        long behind = (dueNanos - nowNanos) * format.clockRateHz() / (1000 * NANOS_PER_MILLI);
        return timestamp() - (int) behind;
    }

    public long packets() {
        return packets;
    }

    /** Payload bytes sent. */
    public long octets() {
        return octets;
    }

    private int timestamp() {
        return firstTimestamp + (int) (samples / format.samplesPerTick());
    }

    private void skipIfFarBehind(long nowNanos) {
        long behind = nowNanos - dueNanos;
        if (behind > MAX_CATCH_UP_NANOS) {
            long steps = behind / NANOS_PER_MILLI / format.packetMillis();
            dueNanos += steps * format.packetMillis() * NANOS_PER_MILLI;
            samples += steps * format.silenceSamples();
            jumped = true;
        }
    }

    private void advance(int advanced) {
        samples += advanced;
        dueNanos += nanos(advanced);
    }

    /** 2.5 ms, Opus' unit, is a whole number of nanoseconds: the schedule has no drift. */
    private static long nanos(int samples) {
        return samples * NANOS_PER_MILLI / SAMPLES_PER_MILLI;
    }
}
