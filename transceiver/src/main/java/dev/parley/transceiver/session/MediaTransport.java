package dev.parley.transceiver.session;

import dev.parley.rtc.rtp.NtpTime;
import dev.parley.rtc.rtp.ReceptionStatistics;
import dev.parley.rtc.rtp.RtcpReader;
import dev.parley.rtc.rtp.RtcpWriter;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.rtc.rtp.SequenceExtender;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import dev.parley.transceiver.media.Gaps;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.media.OutputPath;
import dev.parley.transceiver.media.ReorderBuffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * SRTP, RTP and RTCP of one session, from the moment DTLS has given it keys. Owned by the session
 * and its loop.
 */
final class MediaTransport {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /**
     * How long the current source must have been silent before the one that it replaced may come
     * back.
     */
    private static final long SOURCE_SILENCE_NANOS = NANOS_PER_SECOND;

    /** RFC 3550 A.1: a larger jump that goes on is a sender that started over. */
    private static final int MAX_DROPOUT = 3_000;

    private final SessionSpec spec;
    private final SrtpReceiver receiver;
    private final SrtpSender sender;
    private final InputPath input;
    private final OutputPath output;
    private final LoopCounters counters;
    private final NtpTime ntp;
    private final RandomGenerator random;
    private final byte[] cname;
    private final RtpReader rtp = new RtpReader();
    private final RtcpReader rtcp = new RtcpReader();
    private final RtcpWriter rtcpWriter = new RtcpWriter();

    private @Nullable ReceptionStatistics statistics;
    private SequenceExtender extender = new SequenceExtender();
    private long highestSequence;
    private int sourceSsrc;
    private int replacedSsrc;
    private long lastRtpNanos;
    private long received;
    private long reportDueNanos;
    private long roundTripNanos = NtpTime.UNKNOWN;
    private int remoteLost;

    MediaTransport(
            SessionSpec spec,
            SrtpReceiver receiver,
            SrtpSender sender,
            InputPath input,
            OutputPath output,
            LoopCounters counters,
            NtpTime ntp,
            RandomGenerator random,
            long nowNanos) {
        this.spec = spec;
        this.receiver = receiver;
        this.sender = sender;
        this.input = input;
        this.output = output;
        this.counters = counters;
        this.ntp = ntp;
        this.random = random;
        this.cname = spec.cname().getBytes(StandardCharsets.UTF_8);
        scheduleReport(nowNanos);
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
        if (!input.takes(rtp.payloadType()) || !spec.receives()) {
            return Drop.RTP_PAYLOAD_TYPE;
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

    /** Statistics of the packet's source; null when it is one that another has replaced. */
    private @Nullable ReceptionStatistics source(long nowNanos) {
        ReceptionStatistics current = statistics;
        int ssrc = rtp.ssrc();
        if (current != null && ssrc == sourceSsrc) {
            return current;
        }
        if (current != null) {
            if (ssrc == replacedSsrc && nowNanos - lastRtpNanos < SOURCE_SILENCE_NANOS) {
                return null;
            }
            replacedSsrc = sourceSsrc;
            input.sourceChanged();
        }
        ReceptionStatistics fresh = new ReceptionStatistics(spec.formats().voice().clockRateHz());
        statistics = fresh;
        sourceSsrc = ssrc;
        extender = new SequenceExtender();
        highestSequence = rtp.sequenceNumber();
        return fresh;
    }

    /** Takes an SRTCP packet, as {@link #receiveRtp} does. */
    int receiveRtcp(ByteBuffer bytes, int offset, int length, long nowNanos) {
        int plainLength = receiver.unprotectRtcp(bytes, offset, length);
        if (plainLength < 0) {
            return plainLength;
        }
        if (!rtcp.wrap(bytes, offset, plainLength)) {
            counters.drops.increment(Drop.RTCP_MALFORMED);
            return plainLength;
        }
        while (rtcp.next()) {
            switch (rtcp.type()) {
                case SENDER_REPORT -> {
                    if (statistics != null && rtcp.senderSsrc() == sourceSsrc) {
                        statistics.receiveSenderReport(rtcp.ntpTimestamp(), nowNanos);
                    }
                    takeReports(nowNanos);
                }
                case RECEIVER_REPORT -> takeReports(nowNanos);
                // A goodbye ends a source, not a call: that is for DTLS and signaling to say.
                case GOODBYE, SOURCE_DESCRIPTION, TRANSPORT_FEEDBACK, EXTENDED_REPORT, OTHER -> {}
            }
        }
        return plainLength;
    }

    private void takeReports(long nowNanos) {
        for (int i = 0; i < rtcp.reportCount(); i++) {
            if (rtcp.reportSsrc(i) == spec.ssrc()) {
                remoteLost = rtcp.cumulativeLost(i);
                long roundTrip =
                        NtpTime.roundTripNanos(
                                ntp.at(nowNanos),
                                rtcp.lastSenderReport(i),
                                rtcp.delaySinceLastSenderReport(i));
                if (roundTrip != NtpTime.UNKNOWN) {
                    roundTripNanos = roundTrip;
                    input.roundTrip(roundTrip);
                }
            }
        }
    }

    /** Writes the output packet that is due; answers its length, 0 or less when there is none. */
    int writeRtp(ByteBuffer into, int offset, long nowNanos) {
        int length = output.write(nowNanos, into, offset);
        return sender.protectRtp(into, offset, length);
    }

    /** When {@link #writeReport} is due. */
    long reportDueNanos() {
        return reportDueNanos;
    }

    /** Writes a report and sets when the next one is due. */
    int writeReport(ByteBuffer into, int offset, long nowNanos) {
        scheduleReport(nowNanos);
        beginReport(into, offset, nowNanos);
        return sender.protectRtcp(into, offset, rtcpWriter.length());
    }

    /** Asks for missing packets again, RFC 4585 6.2.1, in a compound as RFC 3550 6.1 wants it. */
    int writeRequest(ByteBuffer into, int offset) {
        Gaps gaps = input.gaps();
        rtcpWriter
                .begin(into, offset)
                .receiverReport(spec.ssrc())
                .sourceDescription(spec.ssrc(), cname)
                .nack(spec.ssrc(), sourceSsrc, gaps.requestFirst(), gaps.requestFollowing());
        gaps.requested();
        return sender.protectRtcp(into, offset, rtcpWriter.length());
    }

    /** Writes the farewell, RFC 3550 6.6. */
    int writeGoodbye(ByteBuffer into, int offset, long nowNanos) {
        beginReport(into, offset, nowNanos);
        rtcpWriter.goodbye(spec.ssrc());
        return sender.protectRtcp(into, offset, rtcpWriter.length());
    }

    private void beginReport(ByteBuffer into, int offset, long nowNanos) {
        rtcpWriter.begin(into, offset);
        if (output.packets() > 0 && spec.sends()) {
            rtcpWriter.senderReport(
                    spec.ssrc(),
                    ntp.at(nowNanos),
                    output.timestampAt(nowNanos),
                    output.packets(),
                    output.octets());
        } else {
            rtcpWriter.receiverReport(spec.ssrc());
        }
        if (statistics != null) {
            statistics.endInterval();
            rtcpWriter.report(sourceSsrc, statistics, nowNanos);
        }
        rtcpWriter.sourceDescription(spec.ssrc(), cname);
    }

    /** RFC 3550 6.2: randomised, so that many sessions do not report in step. */
    private void scheduleReport(long nowNanos) {
        reportDueNanos = nowNanos + (long) (NANOS_PER_SECOND * random.nextDouble(0.5, 1.5));
    }

    /** RTP packets taken, those that were dropped left out. */
    long received() {
        return received;
    }

    /** Interarrival jitter of the input, RFC 3550 6.4.1. */
    long jitterNanos() {
        return statistics == null ? 0 : statistics.jitterNanos();
    }

    /** By the client's last report, or {@link NtpTime#UNKNOWN}. */
    long roundTripNanos() {
        return roundTripNanos;
    }

    /** Our packets that the client missed, by its last report. */
    int remoteLost() {
        return remoteLost;
    }
}
