package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.QualityReport;
import dev.parley.proto.inference.v1.StreamQuality;
import dev.parley.transceiver.media.CallQuality;
import dev.parley.transceiver.media.CallSummary;

/** Writes a call's summary as inference reads it. */
final class QualityReports {
    private QualityReports() {}

    static QualityReport of(CallSummary summary) {
        QualityReport.Builder report =
                QualityReport.newBuilder().setConcealedMs(summary.concealedMillis());
        if (summary.roundTripNanos() >= 0) {
            report.setRoundTripMs(summary.roundTripNanos() / 1e6);
        }
        if (summary.input() != null) {
            report.setInput(
                    side(summary.input())
                            .setPackets(summary.received())
                            .setPacketsLost(summary.lost()));
        }
        if (summary.output() != null) {
            report.setOutput(
                    side(summary.output())
                            .setPackets(summary.sent())
                            .setPacketsLost(Math.max(0, summary.remoteLost())));
        }
        return report.build();
    }

    private static StreamQuality.Builder side(CallQuality.Summary side) {
        return StreamQuality.newBuilder()
                .setLossPercent(side.lossShare() * 100)
                .setJitterMs(side.jitterMillis())
                .setRating(side.rating())
                .setMeanOpinionScore(side.meanOpinionScore());
    }
}
