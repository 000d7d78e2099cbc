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
                    var _ = READER.packetCount();
                    readReports();
                }
                case RECEIVER_REPORT -> readReports();
                case GOODBYE -> {
                    for (int i = 0; i < READER.goodbyeCount(); i++) {
                        var _ = READER.goodbyeSsrc(i);
                    }
                }
                default -> {
                    // Nothing else is read of these.
                }
            }
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
