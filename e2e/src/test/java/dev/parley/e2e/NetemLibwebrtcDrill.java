package dev.parley.e2e;

import dev.parley.e2e.client.LibwebrtcProcess;
import dev.parley.e2e.client.LibwebrtcProcess.Step;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.lab.Lab;
import dev.parley.e2e.lab.LinkProfile;
import dev.parley.e2e.lab.Traffic;
import java.net.URI;
import java.nio.file.Path;

/**
 * {@code ./parley drill netem-libwebrtc}: what {@link NetemDrill} does to a browser, done to
 * libwebrtc by itself.
 */
final class NetemLibwebrtcDrill implements Drill {
    private static final long SEED = 1;

    @Override
    public void run(Path folder, DrillReport report) {
        try (Testbed testbed = Testbed.start(folder, SEED, "")) {
            Lab lab = testbed.lab();
            lab.link().profile(LossyCall.BAD);
            try (LibwebrtcProcess call =
                    LibwebrtcProcess.call(lab.inClient(), URI.create(testbed.origin()))) {
                report.tell("connected", call.connectedMillis(), "ms");
                // Its jitter buffer has to learn the network first, and stretches what it plays.
                var _ = call.go(Step.LISTEN);
                recognise(report, call, "at first");
                Traffic down = lab.link().down().traffic();
                down.mark();
                lab.link().rebindPorts();
                settle(report, call, down, "new ports");
                down.mark();
                lab.rebindAddress();
                settle(report, call, down, "new address");
                down.mark();
                report.tell("ICE restart: answered", call.go(Step.RESTART), "ms");
                settle(report, call, down, "ICE restart");
                lab.link().profile(LinkProfile.CLEAR);
                report.require("hung up in the end", call.go(Step.HANG_UP) == 200);
            }
            System.out.printf(
                    "lost %d packets up and %d down%n",
                    lab.link().up().lost(), lab.link().down().lost());
        }
    }

    private static void settle(
            DrillReport report, LibwebrtcProcess call, Traffic down, String what) {
        var _ = call.go(Step.LISTEN);
        report.atMost(
                what + ": longest gap", down.longestGapMillis(), "ms", NetemDrill.MOST_GAP_MILLIS);
        recognise(report, call, "after " + what);
    }

    private static void recognise(DrillReport report, LibwebrtcProcess call, String when) {
        report.atLeast("words recognised " + when, call.go(Step.TALK), "", NetemDrill.RECOGNIZABLE);
    }
}
