package dev.parley.e2e;

import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import java.nio.file.Path;

/**
 * {@code ./parley drill netem}: a Chromium calls four processes at 100 ms +- 30 ms, 5 % loss and
 * some reordering each way; its NAT gives it new ports, then a new address, then ICE restarts.
 */
final class NetemDrill implements Drill {
    /** Twice around the sample, so that all of it is in the recording wherever that begins. */
    private static final double LISTEN_SECONDS = 18;

    /**
     * Another voice scores below 0.15; a machine that stands still adds its gaps; see
     * LossyCallTest.
     */
    static final double RECOGNIZABLE = 0.3;

    // A browser checks a stable path every 2.5 s (libwebrtc's check interval), one check of which
    // may be lost, and the way takes its time.
    static final double MOST_GAP_MILLIS = 6_000;
    private static final double MOST_RESTART_GAP_MILLIS = 500;
    private static final long SEED = 1;

    @Override
    public void run(Path folder, DrillReport report) {
        try (LossyCall call = LossyCall.place(folder, LossyCall.BAD, SEED)) {
            double start = call.heardSeconds();
            call.stay(LISTEN_SECONDS);
            LossyCall.Rebinding ports = call.rebindPorts();
            LossyCall.Rebinding address = call.rebindAddress();
            LossyCall.Restart restart = call.restartIce();
            double after = call.heardSeconds();
            call.stay(LISTEN_SECONDS);
            LossyCall.Report ended = call.finish();
            System.out.println(ended);
            report.tell("offer answered", ended.setup().answeredMillis(), "ms");
            report.tell("connected", ended.setup().connectedMillis(), "ms");
            tell(report, "new ports", ports);
            tell(report, "new address", address);
            report.tell("ICE restart: answered", restart.answeredMillis(), "ms");
            report.tell("ICE restart: new credentials in use", restart.movedMillis(), "ms");
            report.atMost(
                    "ICE restart: longest gap", restart.gapMillis(), "ms", MOST_RESTART_GAP_MILLIS);
            report.tell("concealed by the browser", 100 * ended.concealedShare(), "%");
            Correlation.Match before = ended.match(SpeechSample.caller(), start);
            Correlation.Match later = ended.match(SpeechSample.caller(), after);
            report.atLeast("words recognised before", before.score(), "", RECOGNIZABLE);
            report.atLeast("words recognised after all of it", later.score(), "", RECOGNIZABLE);
            report.require("the browser never failed", !ended.ended().states().contains("failed"));
            report.require("hung up in the end", ended.ended().hangupStatus() == 200);
        }
    }

    private static void tell(DrillReport report, String what, LossyCall.Rebinding rebinding) {
        report.tell(what + ": next check after", rebinding.checkMillis(), "ms");
        report.tell(what + ": audio again after", rebinding.audioMillis(), "ms");
        report.atMost(what + ": longest gap", rebinding.gapMillis(), "ms", MOST_GAP_MILLIS);
    }
}
