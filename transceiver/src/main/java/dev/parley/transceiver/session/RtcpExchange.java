package dev.parley.transceiver.session;

import dev.parley.rtc.rtp.NtpTime;
import dev.parley.rtc.rtp.ReceptionStatistics;
import dev.parley.rtc.rtp.RtcpInterval;
import dev.parley.rtc.rtp.RtcpReader;
import dev.parley.rtc.rtp.RtcpWriter;
import dev.parley.rtc.sdp.SdpDirection;
import dev.parley.transceiver.media.OutputPath;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The RTCP of one session: what both sides say of the streams between them, and when it is our turn
 * again. Every packet is a whole compound (RFC 3550 6.1); reduced sizes (RFC 5506) are understood
 * and not sent. Owned by the session's {@link MediaTransport}.
 */
final class RtcpExchange {
    /** Hears what the client says, on the loop's thread. */
    interface Client {
        /** A report on our stream. */
        void reported(Report report, long nowNanos);

        /** It asks for one of our packets again. */
        void askedAgain(int sequenceNumber);

        /** A source of it will send no more. */
        void left(int ssrc);
    }

    /** What the client's last report said of our stream. One for each session, written anew. */
    static final class Report {
        private int fractionLost;
        private int cumulativeLost;
        private long jitterNanos;
        private long roundTripNanos = NtpTime.UNKNOWN;
        private boolean roundTripNew;

        /** Since the report before, in 256ths. */
        int fractionLost() {
            return fractionLost;
        }

        /** Since the start. */
        int cumulativeLost() {
            return cumulativeLost;
        }

        long jitterNanos() {
            return jitterNanos;
        }

        /** The last that is known, or {@link NtpTime#UNKNOWN}. */
        long roundTripNanos() {
            return roundTripNanos;
        }

        /** Whether this very report told the round trip. */
        boolean isRoundTripNew() {
            return roundTripNew;
        }
    }

    /** Opus at 32 kb/s in packets of 20 ms, with RTP, SRTP, UDP and IP around them. */
    private static final int SESSION_BITS_PER_SECOND = 54_400;

    private static final int TYPICAL_BYTES = 96;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final SessionSpec spec;
    private final OutputPath output;
    private final NtpTime ntp;
    private final RandomGenerator random;
    private final Client client;
    private final byte[] cname;
    private final RtcpReader reader = new RtcpReader();
    private final RtcpWriter writer = new RtcpWriter();
    private final RtcpInterval interval;
    private final Report report = new Report();

    private SdpDirection direction;
    private int ssrc;
    private int abandonedSsrc;
    private boolean abandoned;
    private long dueNanos;
    private boolean referenceSeen;
    private int referenceSsrc;
    private int reference;
    private long referenceNanos;

    RtcpExchange(
            SessionSpec spec,
            SdpDirection direction,
            OutputPath output,
            NtpTime ntp,
            RandomGenerator random,
            Client client,
            long nowNanos) {
        this.spec = spec;
        this.output = output;
        this.ntp = ntp;
        this.random = random;
        this.client = client;
        this.ssrc = spec.ssrc();
        this.direction = direction;
        this.cname = spec.cname().getBytes(StandardCharsets.UTF_8);
        this.interval =
                new RtcpInterval(SESSION_BITS_PER_SECOND, spec.feedbackProfile(), TYPICAL_BYTES);
        this.dueNanos = nowNanos + interval.firstNanos(random);
    }

    void direct(SdpDirection changed) {
        direction = changed;
    }

    /** What we send with. */
    int ssrc() {
        return ssrc;
    }

    Report report() {
        return report;
    }

    /** When {@link #writeReport} is due. */
    long dueNanos() {
        return dueNanos;
    }

    /**
     * RFC 3550 8.2: the client uses our SSRC, so we take another; the next report, which is due at
     * once, says goodbye for the one that was ours.
     */
    void changeSource(int newSsrc, long nowNanos) {
        abandoned = true;
        abandonedSsrc = ssrc;
        ssrc = newSsrc;
        dueNanos = nowNanos;
    }

    /**
     * Takes a decrypted compound packet.
     *
     * @param source statistics of the client's source, if it has one
     * @return false when it is malformed
     */
    boolean receive(
            ByteBuffer bytes,
            int offset,
            int length,
            @Nullable ReceptionStatistics source,
            int sourceSsrc,
            long nowNanos) {
        if (!reader.wrap(bytes, offset, length)) {
            return false;
        }
        interval.seen(length);
        while (reader.next()) {
            switch (reader.type()) {
                case SENDER_REPORT -> {
                    if (source != null && reader.senderSsrc() == sourceSsrc) {
                        source.receiveSenderReport(reader.ntpTimestamp(), nowNanos);
                    }
                    takeReports(nowNanos);
                }
                case RECEIVER_REPORT -> takeReports(nowNanos);
                case TRANSPORT_FEEDBACK -> takeFeedback();
                case EXTENDED_REPORT -> takeReference(nowNanos);
                // A goodbye ends a source, not a call: that is for DTLS and signaling to say.
                case GOODBYE -> takeGoodbye();
                case SOURCE_DESCRIPTION, OTHER -> {}
            }
        }
        return true;
    }

    private void takeReports(long nowNanos) {
        for (int i = 0; i < reader.reportCount(); i++) {
            if (reader.reportSsrc(i) == ssrc) {
                takeReport(i, nowNanos);
            }
        }
    }

    private void takeReport(int i, long nowNanos) {
        report.fractionLost = reader.fractionLost(i);
        report.cumulativeLost = reader.cumulativeLost(i);
        report.jitterNanos = reader.jitter(i) * NANOS_PER_SECOND / spec.output().clockRateHz();
        long roundTrip =
                NtpTime.roundTripNanos(
                        ntp.at(nowNanos),
                        reader.lastSenderReport(i),
                        reader.delaySinceLastSenderReport(i));
        report.roundTripNew = roundTrip != NtpTime.UNKNOWN;
        if (report.roundTripNew) {
            report.roundTripNanos = roundTrip;
        }
        client.reported(report, nowNanos);
    }

    private void takeFeedback() {
        if (!reader.isNack() || reader.mediaSsrc() != ssrc) {
            return;
        }
        reader.nacked(client::askedAgain);
    }

    /** RFC 3611 4.4: a client that sends nothing measures the round trip by this. */
    private void takeReference(long nowNanos) {
        int time = reader.receiverReferenceTime();
        if (time != 0) {
            referenceSeen = true;
            reference = time;
            referenceSsrc = reader.senderSsrc();
            referenceNanos = nowNanos;
        }
    }

    private void takeGoodbye() {
        for (int i = 0; i < reader.goodbyeCount(); i++) {
            client.left(reader.goodbyeSsrc(i));
        }
    }

    /**
     * Writes the report that is due and sets when the next one is.
     *
     * @return its length
     */
    int writeReport(
            ByteBuffer into,
            int offset,
            @Nullable ReceptionStatistics source,
            int sourceSsrc,
            long nowNanos) {
        begin(into, offset, source, sourceSsrc, nowNanos);
        if (referenceSeen) {
            referenceSeen = false;
            writer.delaySinceLastReceiverReport(
                    ssrc,
                    referenceSsrc,
                    reference,
                    NtpTime.shortDuration(nowNanos - referenceNanos));
        }
        if (abandoned) {
            abandoned = false;
            writer.goodbye(abandonedSsrc);
        }
        interval.seen(writer.length());
        dueNanos = nowNanos + interval.nextNanos(random);
        return writer.length();
    }

    /** Asks for missing packets again, RFC 4585 6.2.1, in a compound as RFC 3550 6.1 wants it. */
    int writeRequest(ByteBuffer into, int offset, int sourceSsrc, int first, int following) {
        return writer.begin(into, offset)
                .receiverReport(ssrc)
                .sourceDescription(ssrc, cname)
                .nack(ssrc, sourceSsrc, first, following)
                .length();
    }

    /** Writes the farewell, RFC 3550 6.6. */
    int writeGoodbye(
            ByteBuffer into,
            int offset,
            @Nullable ReceptionStatistics source,
            int sourceSsrc,
            long nowNanos) {
        begin(into, offset, source, sourceSsrc, nowNanos);
        return writer.goodbye(ssrc).length();
    }

    private void begin(
            ByteBuffer into,
            int offset,
            @Nullable ReceptionStatistics source,
            int sourceSsrc,
            long nowNanos) {
        writer.begin(into, offset);
        if (output.packets() > 0 && direction.sends()) {
            writer.senderReport(
                    ssrc,
                    ntp.at(nowNanos),
                    output.timestampAt(nowNanos),
                    output.packets(),
                    output.octets());
        } else {
            writer.receiverReport(ssrc);
        }
        if (source != null) {
            source.endInterval();
            writer.report(sourceSsrc, source, nowNanos);
        }
        writer.sourceDescription(ssrc, cname);
    }
}
