package dev.parley.app.load;

import dev.parley.rtc.rtp.NtpTime;
import dev.parley.rtc.rtp.ReceptionStatistics;
import dev.parley.rtc.rtp.RtcpReader;
import dev.parley.rtc.rtp.RtcpType;
import dev.parley.rtc.rtp.RtcpWriter;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.rtc.rtp.RtpWriter;
import dev.parley.rtc.rtp.SentPackets;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import dev.parley.rtc.srtp.SrtpVerdict;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Audio of one call once DTLS has given it keys: sends a frame every 20 ms, recognises its own
 * packets when an echo brings them back, and counts. Owned by its call.
 */
final class CallMedia {
    private static final int CLOCK_RATE_HZ = 48_000;
    private static final int FRAME_SAMPLES = 960;
    private static final long FRAME_NANOS = 20_000_000L;
    private static final long NANOS_PER_SAMPLE_TIMES_3 = 62_500L;

    /** A generator that is this late leaves packets out: no client sends them in a heap. */
    private static final long SKIP_NANOS = 100_000_000L;

    /** A second of them: what a call's beginning costs is told apart. */
    private static final int FIRST_PACKETS = 50;

    /** Nobody who is there says nothing for so long: with DTX a packet comes each 400 ms. */
    private static final long SILENT_NANOS = 2_000_000_000L;

    private static final long REPORT_NANOS = 2_500_000_000L;

    private final LoadHost host;
    private final LoadCall call;
    private final SpeechFrames speech;
    private final TalkModel talk;
    private final Turns turns = new Turns();
    private final double lossShare;
    private final SrtpSender sender;
    private final SrtpReceiver receiver;
    private final RtpReader rtp = new RtpReader();
    private final RtcpReader reports = new RtcpReader();
    private final RtcpWriter writer = new RtcpWriter();
    private final EchoMark mark = new EchoMark();
    private final ReceptionStatistics statistics = new ReceptionStatistics(CLOCK_RATE_HZ);
    private final int ssrc;
    private final byte[] cname;

    /** For a server that asks for them again; null when none was offered that. */
    private final @Nullable SentPackets sentPackets;

    // Up.
    private int sequence;
    private int timestamp;
    private int frame;
    private int marked;
    private long sent;
    private long octets;
    private long frameDueNanos;
    private long reportDueNanos;
    private long dropped;
    private long lostUp;
    private long sentAtReport;
    private long droppedAtReport;

    // Where the ramp was over, for calls that were there by then.
    private int steadyFrom = FIRST_PACKETS;
    private long lostUpAtRamp;
    private long sentAtRamp;

    // Down.
    private boolean heard;
    private int sourceSsrc;
    private int highest;
    private int highestTimestamp;
    private long heardNanos;
    private int returnedLast;
    private long returnedWindow;
    private long returned;
    private long returnedAtFirst;
    private long returnedSteady;
    private long withheld;
    private long withheldAtFirst;
    private long withheldSteady;
    private boolean jitterTold;
    private long fastestNanos = Long.MAX_VALUE;
    private boolean rebound;

    CallMedia(
            LoadHost host,
            LoadCall call,
            LoadOptions options,
            SpeechFrames speech,
            SrtpSender sender,
            SrtpReceiver receiver,
            long nowNanos) {
        this.host = host;
        this.call = call;
        this.speech = speech;
        this.talk =
                new TalkModel(
                        options.talkSeconds(), options.silenceSeconds(), host.random(), nowNanos);
        this.lossShare = options.lossPercent() / 100;
        this.sender = sender;
        this.receiver = receiver;
        this.sentPackets = options.nack() ? new SentPackets() : null;
        this.ssrc = host.random().nextInt();
        this.cname = Integer.toHexString(ssrc).getBytes(StandardCharsets.UTF_8);
        this.sequence = host.random().nextInt(1 << 15);
        this.timestamp = host.random().nextInt();
        this.frame = host.random().nextInt(speech.count());
        this.frameDueNanos = nowNanos;
        this.reportDueNanos = nowNanos + (long) (REPORT_NANOS * host.random().nextDouble(0.2, 0.6));
    }

    /** When {@link #onTimer} has something to do next. */
    long deadlineNanos() {
        return frameDueNanos - reportDueNanos < 0 ? frameDueNanos : reportDueNanos;
    }

    void onTimer(long nowNanos, boolean sending) {
        while (frameDueNanos - nowNanos <= 0) {
            if (sending) {
                sendFrame(nowNanos);
            }
            frameDueNanos += FRAME_NANOS;
        }
        if (reportDueNanos - nowNanos <= 0) {
            sendReport(nowNanos);
            reportDueNanos = nowNanos + (long) (REPORT_NANOS * host.random().nextDouble(0.5, 1.5));
        }
    }

    private void sendFrame(long nowNanos) {
        long late = nowNanos - frameDueNanos;
        Tally tally = call.tally();
        Tally.record(tally.lateness, late);
        if (late > SKIP_NANOS) {
            long skipped = late / FRAME_NANOS;
            tally.skipped += skipped;
            timestamp += (int) (skipped * FRAME_SAMPLES);
            frameDueNanos += skipped * FRAME_NANOS;
        }
        talk.at(nowNanos);
        if (talk.pauses()) {
            turns.talk(talk, nowNanos, tally);
        }
        byte[] payload = talk.talking() ? speech.talk(frame++) : speech.silentFrame();
        ByteBuffer bytes = host.bytes();
        int offset = host.payloadOffset();
        RtpWriter.writeHeader(
                bytes,
                offset,
                (talk.changed() && talk.talking()) || sent == 0,
                CallOffer.OPUS,
                sequence,
                timestamp,
                ssrc);
        int payloadAt = offset + RtpWriter.HEADER_LENGTH;
        bytes.put(payloadAt, payload);
        EchoMark.write(bytes, payloadAt, payload.length, call.number(), marked + 1, nowNanos);
        int length = sender.protectRtp(bytes, offset, RtpWriter.HEADER_LENGTH + payload.length);
        if (sentPackets != null) {
            sentPackets.sent(sequence & 0xFFFF, bytes, offset, length);
        }
        sequence++;
        timestamp += FRAME_SAMPLES;
        if (isLost()) {
            tally.dropped++;
            dropped++;
            return;
        }
        marked++;
        sent++;
        octets += payload.length;
        tally.sent++;
        host.commit(call, length);
    }

    private boolean isLost() {
        return lossShare > 0 && host.random().nextDouble() < lossShare;
    }

    /** RFC 4585 6.2.1: the server misses it; the network may take it this time, too. */
    private void sendAgain(int sequenceNumber) {
        SentPackets kept = sentPackets;
        int length =
                kept == null ? 0 : kept.take(sequenceNumber, host.bytes(), host.payloadOffset());
        if (length > 0 && !isLost()) {
            call.tally().sentAgain++;
            host.commit(call, length);
        }
    }

    private void sendReport(long nowNanos) {
        writer.begin(host.bytes(), host.payloadOffset());
        if (sent > 0) {
            // What the timestamp is now: the next frame's, less the time until it is due.
            int ahead = (int) ((frameDueNanos - nowNanos) * 3 / NANOS_PER_SAMPLE_TIMES_3);
            writer.senderReport(ssrc, host.ntp().at(nowNanos), timestamp - ahead, sent, octets);
        } else {
            writer.receiverReport(ssrc);
        }
        if (heard) {
            statistics.endInterval();
            writer.report(sourceSsrc, statistics, nowNanos);
            Tally.record(call.tally().jitter, statistics.jitterNanos());
            jitterTold = true;
        }
        writer.sourceDescription(ssrc, cname);
        commitReport();
    }

    /**
     * We say no more. An echo has until now repeated us without a pause, so that the time since its
     * last packet is a gap, which no next packet will tell. Of others that may be silence.
     */
    void stop(long nowNanos) {
        if (returned + returnedAtFirst > 0) {
            call.tally().gap(nowNanos - heardNanos);
        }
    }

    /** Whether the server was heard and is no more, though it sends in silence as well. */
    boolean fellSilent(long nowNanos) {
        return heard && nowNanos - heardNanos >= SILENT_NANOS;
    }

    /** Says goodbye, RFC 3550 6.6. */
    void leave() {
        writer.begin(host.bytes(), host.payloadOffset())
                .receiverReport(ssrc)
                .sourceDescription(ssrc, cname)
                .goodbye(ssrc);
        commitReport();
    }

    private void commitReport() {
        int length = sender.protectRtcp(host.bytes(), host.payloadOffset(), writer.length());
        if (length > 0) {
            host.commit(call, length);
        }
    }

    /** The next packet down tells how long a change of our address has kept it away. */
    void rebound() {
        call.tally().rebindsUnanswered += rebound ? 1 : 0;
        rebound = heard;
    }

    /** All calls are there: what is sent from now on shows the server under the whole load. */
    void settled() {
        steadyFrom = Math.max(marked, FIRST_PACKETS);
        returnedSteady = 0;
        withheldSteady = 0;
        lostUpAtRamp = Math.max(0, lostUp - droppedAtReport);
        sentAtRamp = sentAtReport;
    }

    /** Takes an SRTP packet. */
    void receiveRtp(ByteBuffer bytes, int offset, int length, long nowNanos, boolean counting) {
        Tally tally = call.tally();
        int plain = receiver.unprotectRtp(bytes, offset, length);
        if (plain < 0 && SrtpVerdict.of(plain) == SrtpVerdict.REPLAYED) {
            // It came before, which makes good for no packet that did not.
            tally.duplicates++;
            return;
        }
        if (plain < 0 || !rtp.wrap(bytes, offset, plain)) {
            tally.undecryptable++;
            return;
        }
        tally.received++;
        var _ = statistics.receive(rtp.sequenceNumber(), rtp.timestamp(), nowNanos);
        if (!heard) {
            sourceSsrc = rtp.ssrc();
            call.heard(nowNanos);
        }
        follow(tally, nowNanos, counting);
        boolean withhold = isLost();
        tally.receivedDropped += withhold ? 1 : 0;
        if (mark.wrap(bytes, rtp.payloadOffset(), rtp.payloadLength())) {
            takeMark(tally, nowNanos, withhold);
        } else if (!withhold && talk.pauses()) {
            turns.heard(rtp.payloadLength(), nowNanos, tally);
        }
    }

    /** Counts what should have come, what came, and the longest gap between. */
    private void follow(Tally tally, long nowNanos, boolean counting) {
        tally.arrivedDown++;
        int advance = heard ? (short) (rtp.sequenceNumber() - highest) : 1;
        if (advance <= 0) {
            return;
        }
        tally.expectedDown += advance;
        if (heard) {
            // RFC 7587 3.1.3: a timestamp that jumps while the sequence goes on is silence.
            long told = (rtp.timestamp() - highestTimestamp) * NANOS_PER_SAMPLE_TIMES_3 / 3;
            long silence = Math.max(0, told - advance * FRAME_NANOS);
            long gap = nowNanos - heardNanos - silence;
            if (counting) {
                tally.gap(gap);
                Tally.record(tally.pacing, Math.abs(gap - advance * FRAME_NANOS));
            }
            if (rebound) {
                Tally.record(tally.rebindGap, gap);
            }
        }
        rebound = false;
        heard = true;
        highest = rtp.sequenceNumber();
        highestTimestamp = rtp.timestamp();
        heardNanos = nowNanos;
    }

    /**
     * Takes a packet of an echo.
     *
     * @param withhold lost on purpose, and so neither returned nor missing
     */
    private void takeMark(Tally tally, long nowNanos, boolean withhold) {
        if (mark.caller() != call.number()) {
            // Somebody else's voice: there is no worse fault.
            tally.foreign++;
            return;
        }
        if (!isNew(mark.number())) {
            return;
        }
        boolean first = mark.number() <= FIRST_PACKETS;
        boolean steady = mark.number() > steadyFrom;
        if (withhold) {
            withheld += first ? 0 : 1;
            withheldAtFirst += first ? 1 : 0;
            withheldSteady += steady ? 1 : 0;
            return;
        }
        returned += first ? 0 : 1;
        returnedAtFirst += first ? 1 : 0;
        returnedSteady += steady ? 1 : 0;
        tally.returned++;
        long trip = nowNanos - mark.sentNanos();
        fastestNanos = Math.min(fastestNanos, trip);
        Tally.record(tally.echo, trip);
        Tally.record(tally.variation, trip - fastestNanos);
    }

    /** Whether this one has not come back before, among the last 64. */
    private boolean isNew(int number) {
        int ahead = number - returnedLast;
        if (ahead > 0) {
            returnedWindow = ahead < Long.SIZE ? returnedWindow << ahead | 1 : 1;
            returnedLast = number;
            return true;
        }
        long bit = -ahead < Long.SIZE ? 1L << -ahead : 0;
        boolean fresh = bit != 0 && (returnedWindow & bit) == 0;
        returnedWindow |= bit;
        return fresh;
    }

    /** Takes an SRTCP packet. */
    void receiveRtcp(ByteBuffer bytes, int offset, int length, long nowNanos) {
        int plain = receiver.unprotectRtcp(bytes, offset, length);
        if (plain < 0 || !reports.wrap(bytes, offset, plain)) {
            call.tally().undecryptable++;
            return;
        }
        while (reports.next()) {
            if (reports.type() == RtcpType.SENDER_REPORT) {
                statistics.receiveSenderReport(reports.ntpTimestamp(), nowNanos);
                takeReports(nowNanos);
            } else if (reports.type() == RtcpType.RECEIVER_REPORT) {
                takeReports(nowNanos);
            } else if (reports.isNack() && reports.mediaSsrc() == ssrc) {
                reports.nacked(this::sendAgain);
            }
        }
    }

    private void takeReports(long nowNanos) {
        for (int i = 0; i < reports.reportCount(); i++) {
            if (reports.reportSsrc(i) != ssrc) {
                continue;
            }
            lostUp = reports.cumulativeLost(i);
            sentAtReport = sent;
            droppedAtReport = dropped;
            long roundTrip =
                    NtpTime.roundTripNanos(
                            host.ntp().at(nowNanos),
                            reports.lastSenderReport(i),
                            reports.delaySinceLastSenderReport(i));
            if (roundTrip != NtpTime.UNKNOWN) {
                Tally.record(call.tally().rtcp, roundTrip);
            }
        }
    }

    /** Adds what only the whole call tells. */
    void sumUp(Tally tally) {
        int first = Math.min(marked, FIRST_PACKETS);
        tally.marked += marked - first - withheld;
        tally.markedAndReturned += returned;
        tally.markedAtFirst += first - withheldAtFirst;
        tally.returnedAtFirst += returnedAtFirst;
        // Packets that we have left out on purpose are missed by the server, too.
        long lost = Math.max(0, lostUp - droppedAtReport);
        tally.lostUp += lost;
        tally.sentWithReports += sentAtReport;
        tally.markedSteady += Math.max(0, marked - steadyFrom) - withheldSteady;
        tally.returnedSteady += returnedSteady;
        tally.lostUpSteady += Math.max(0, lost - lostUpAtRamp);
        tally.sentWithReportsSteady += sentAtReport - sentAtRamp;
        tally.rebindsUnanswered += rebound ? 1 : 0;
        if (!heard) {
            tally.withoutAudio++;
        } else if (!jitterTold) {
            // It was too short for a report.
            Tally.record(tally.jitter, statistics.jitterNanos());
        }
    }
}
