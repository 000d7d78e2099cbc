package dev.parley.transceiver.session;

import dev.parley.rtc.rtp.NtpTime;
import dev.parley.rtc.rtp.ReceptionStatistics;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.rtc.rtp.SentPackets;
import dev.parley.rtc.rtp.SequenceExtender;
import dev.parley.rtc.sdp.SdpDirection;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import dev.parley.transceiver.media.Gaps;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.media.OutputPath;
import dev.parley.transceiver.media.ReorderBuffer;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * SRTP, RTP and RTCP of one session, from the moment DTLS has given it keys. Owned by the session
 * and its loop.
 */
final class MediaTransport implements RtcpExchange.Client {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /**
     * How long the current source must have been silent before the one that it replaced may come
     * back.
     */
    private static final long SOURCE_SILENCE_NANOS = NANOS_PER_SECOND;

    /** RFC 3550 A.1: a larger jump that goes on is a sender that started over. */
    private static final int MAX_DROPOUT = 3_000;

    /** Hears what concerns the session, on the loop's thread. */
    interface Listener {
        /** The client has reported on our stream. */
        void reported(RtcpExchange.Report report);

        /** The client asks for one of our packets again. */
        void askedAgain(int sequenceNumber);
    }

    /** Each takes a place of SrtpSender's sources. */
    private static final int MAX_COLLISIONS = 4;

    private final SessionSpec spec;
    private final SrtpReceiver receiver;
    private final SrtpSender sender;
    private final InputPath input;
    private final OutputPath output;
    private final LoopCounters counters;
    private final RandomGenerator random;
    private final RtpReader rtp = new RtpReader();
    private final RtcpExchange rtcp;
    private final Listener listener;
    private final @Nullable SentPackets sent;

    private SdpDirection direction;
    private @Nullable ReceptionStatistics statistics;
    private SequenceExtender extender = new SequenceExtender();
    private long highestSequence;
    private int sourceSsrc;
    private boolean sourceLeft;
    private int replacedSsrc;
    private long lastRtpNanos;
    private long received;
    private int collisions;

    MediaTransport(
            SessionSpec spec,
            SdpDirection direction,
            SrtpReceiver receiver,
            SrtpSender sender,
            InputPath input,
            OutputPath output,
            LoopCounters counters,
            NtpTime ntp,
            RandomGenerator random,
            Listener listener,
            long nowNanos) {
        this.spec = spec;
        this.receiver = receiver;
        this.sender = sender;
        this.input = input;
        this.output = output;
        this.counters = counters;
        this.random = random;
        this.listener = listener;
        this.direction = direction;
        this.rtcp = new RtcpExchange(spec, direction, output, ntp, random, this, nowNanos);
        this.sent = spec.formats().nack() ? new SentPackets() : null;
    }

    /** Audio flows this way from now on. */
    void direct(SdpDirection changed) {
        direction = changed;
        rtcp.direct(changed);
    }

    /**
     * Takes an SRTP packet, which is decrypted in place.
     *
     * @return negative, a {@link dev.parley.rtc.srtp.SrtpVerdict}'s code, unless it is authentic
     */
    int receiveRtp(ByteBuffer bytes, int offset, int length, long nowNanos) {
        int plainLength = receiver.unprotectRtp(bytes, offset, length);
        if (plainLength < 0) {
            return plainLength;
        }
        Drop drop = takeRtp(bytes, offset, plainLength, nowNanos);
        if (drop == null) {
            received++;
            LoopCounters.add(counters.rtpReceived, 1);
        } else {
            counters.drops.increment(drop);
        }
        return plainLength;
    }

    private @Nullable Drop takeRtp(ByteBuffer bytes, int offset, int length, long nowNanos) {
        if (!rtp.wrap(bytes, offset, length)) {
            return Drop.RTP_MALFORMED;
        }
        if (!input.takes(rtp.payloadType()) || !direction.receives()) {
            return Drop.RTP_PAYLOAD_TYPE;
        }
        if (rtp.ssrc() == rtcp.ssrc() && !changeSource(nowNanos)) {
            return Drop.RTP_SSRC_COLLISION;
        }
        ReceptionStatistics counted = source(nowNanos);
        if (counted == null) {
            return Drop.RTP_OLD_SOURCE;
        }
        if (!counted.receive(rtp.sequenceNumber(), rtp.timestamp(), nowNanos)) {
            return Drop.RTP_SEQUENCE_JUMP;
        }
        lastRtpNanos = nowNanos;
        long sequence = extender.extend(rtp.sequenceNumber());
        if (Math.abs(sequence - highestSequence) > MAX_DROPOUT && received > 0) {
            extender = new SequenceExtender();
            sequence = extender.extend(rtp.sequenceNumber());
            highestSequence = sequence;
            input.sourceChanged();
        }
        highestSequence = Math.max(highestSequence, sequence);
        int level =
                spec.audioLevelId() == 0 ? RtpReader.ABSENT : rtp.audioLevel(spec.audioLevelId());
        ReorderBuffer.Verdict verdict =
                input.accept(
                        sequence,
                        rtp.payloadType(),
                        rtp.timestamp(),
                        level,
                        bytes,
                        rtp.payloadOffset(),
                        rtp.payloadLength(),
                        nowNanos);
        return switch (verdict) {
            case PASSED, HELD -> null;
            case LATE -> Drop.RTP_LATE;
            case DUPLICATE -> Drop.RTP_DUPLICATE;
        };
    }

    /** RFC 3550 8.2; false when the client has had us change too often, which is no accident. */
    private boolean changeSource(long nowNanos) {
        if (collisions == MAX_COLLISIONS) {
            return false;
        }
        collisions++;
        int fresh = random.nextInt();
        rtcp.changeSource(fresh, nowNanos);
        output.changeSource(fresh);
        return true;
    }

    /** Statistics of the packet's source; null when it is one that another has replaced. */
    private @Nullable ReceptionStatistics source(long nowNanos) {
        ReceptionStatistics current = statistics;
        int ssrc = rtp.ssrc();
        if (current != null && ssrc == sourceSsrc) {
            // RFC 3550 6.2.1 lets packets come after a goodbye, and some clients say it to a stream
            // that they go on with. What was learnt of its numbers still holds.
            sourceLeft = false;
            return current;
        }
        if (current != null) {
            boolean straggles = nowNanos - lastRtpNanos < SOURCE_SILENCE_NANOS && !sourceLeft;
            if (ssrc == replacedSsrc && straggles) {
                return null;
            }
            replacedSsrc = sourceSsrc;
            input.sourceChanged();
        }
        ReceptionStatistics fresh = new ReceptionStatistics(spec.formats().voice().clockRateHz());
        statistics = fresh;
        sourceSsrc = ssrc;
        sourceLeft = false;
        extender = new SequenceExtender();
        highestSequence = rtp.sequenceNumber();
        return fresh;
    }

    /** Takes an SRTCP packet, as {@link #receiveRtp} does. */
    int receiveRtcp(ByteBuffer bytes, int offset, int length, long nowNanos) {
        int plainLength = receiver.unprotectRtcp(bytes, offset, length);
        if (plainLength >= 0
                && !rtcp.receive(bytes, offset, plainLength, statistics, sourceSsrc, nowNanos)) {
            counters.drops.increment(Drop.RTCP_MALFORMED);
        }
        return plainLength;
    }

    @Override
    public void reported(RtcpExchange.Report report, long nowNanos) {
        if (report.isRoundTripNew()) {
            input.roundTrip(report.roundTripNanos());
        }
        listener.reported(report);
    }

    @Override
    public void askedAgain(int sequenceNumber) {
        if (spec.formats().nack()) {
            listener.askedAgain(sequenceNumber);
        }
    }

    @Override
    public void left(int ssrc) {
        if (ssrc == sourceSsrc) {
            sourceLeft = true;
        }
    }

    /** What is reported on: RFC 3550 6.3.4 takes a source that said goodbye off the list. */
    private @Nullable ReceptionStatistics reported() {
        return sourceLeft ? null : statistics;
    }

    /** Writes the output packet that is due; answers its length, 0 or less when there is none. */
    int writeRtp(ByteBuffer into, int offset, long nowNanos) {
        int sequence = output.sequence();
        int length = output.write(nowNanos, into, offset);
        if (length == 0) {
            return 0;
        }
        int sealed = sender.protectRtp(into, offset, length);
        if (sent != null && sealed > 0) {
            sent.sent(sequence, into, offset, sealed);
        }
        return sealed;
    }

    /** Writes a packet that was sent before; answers its length, 0 when it is not at hand. */
    int writeAgain(int sequenceNumber, ByteBuffer into, int offset) {
        return sent == null ? 0 : sent.take(sequenceNumber, into, offset);
    }

    /** When {@link #writeReport} is due. */
    long reportDueNanos() {
        return rtcp.dueNanos();
    }

    /** Writes a report and sets when the next one is due. */
    int writeReport(ByteBuffer into, int offset, long nowNanos) {
        int length = rtcp.writeReport(into, offset, reported(), sourceSsrc, nowNanos);
        return sender.protectRtcp(into, offset, length);
    }

    /** Asks for missing packets again, RFC 4585 6.2.1. */
    int writeRequest(ByteBuffer into, int offset) {
        Gaps gaps = input.gaps();
        int length =
                rtcp.writeRequest(
                        into, offset, sourceSsrc, gaps.requestFirst(), gaps.requestFollowing());
        gaps.requested();
        return sender.protectRtcp(into, offset, length);
    }

    /** Writes the farewell, RFC 3550 6.6. */
    int writeGoodbye(ByteBuffer into, int offset, long nowNanos) {
        int length = rtcp.writeGoodbye(into, offset, reported(), sourceSsrc, nowNanos);
        return sender.protectRtcp(into, offset, length);
    }

    /** RTP packets taken, those that were dropped left out. */
    long received() {
        return received;
    }

    /** Interarrival jitter of the input, RFC 3550 6.4.1. */
    long jitterNanos() {
        return statistics == null ? 0 : statistics.jitterNanos();
    }

    /** What the client reported last; zeros when it has reported nothing. */
    RtcpExchange.Report report() {
        return rtcp.report();
    }
}
