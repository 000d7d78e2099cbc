package dev.parley.fuzz;

import dev.parley.rtc.rtp.RtcpReader;
import dev.parley.rtc.rtp.RtcpType;

/** Compound RTCP packets. */
public final class RtcpFuzz {
    private static final RtcpReader READER = new RtcpReader();

    private RtcpFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (!READER.wrap(Input.placed(input), Input.OFFSET, input.length)) {
            return;
        }
        // RFC 3550 6.4: the smallest packet has four bytes.
        int most = input.length / 4;
        while (READER.next()) {
            Input.demand(most-- > 0, "more packets than fit");
            RtcpType type = READER.type();
            switch (type) {
                case SENDER_REPORT -> {
                    var _ = READER.ntpTimestamp() ^ READER.rtpTimestamp() ^ READER.octetCount();
                    var _ = READER.packetCount() ^ READER.senderSsrc();
                    readReports();
                }
                case RECEIVER_REPORT -> readReports();
                case GOODBYE -> {
                    for (int i = 0; i < READER.goodbyeCount(); i++) {
                        var _ = READER.goodbyeSsrc(i);
                    }
                }
                case TRANSPORT_FEEDBACK -> readFeedback(input.length);
                case EXTENDED_REPORT -> {
                    var _ = READER.senderSsrc() ^ READER.receiverReferenceTime();
                }
                case SOURCE_DESCRIPTION, OTHER -> {
                    // Nothing is read of these.
                }
            }
        }
    }

    private static void readFeedback(int length) {
        var _ = READER.mediaSsrc();
        if (!READER.isNack()) {
            return;
        }
        int entries = READER.nackCount();
        Input.demand(entries >= 0 && entries <= length / 4 - 3, "more entries than fit");
        for (int i = 0; i < entries; i++) {
            Input.demand(
                    READER.nackSequence(i) < 65_536 && READER.nackFollowing(i) < 65_536,
                    "a number");
        }
    }

    private static void readReports() {
        for (int i = 0; i < READER.reportCount(); i++) {
            Input.demand(READER.fractionLost(i) < 256, "a fraction");
            var _ = READER.reportSsrc(i) ^ READER.cumulativeLost(i) ^ READER.lastSenderReport(i);
            var _ = READER.extendedHighestSequence(i) ^ READER.jitter(i);
            var _ = READER.delaySinceLastSenderReport(i);
        }
    }
}
