package dev.parley.e2e;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.microsoft.playwright.Page;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.lab.LinkProfile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * {@code ./parley drill netem-data}: Chromium's data channels to four processes at 100 ms and 10 %
 * loss each way, against the agent that echoes. The script fails at what is lost, out of order or
 * hangs.
 */
final class NetemDataDrill implements Drill {
    private static final LinkProfile BAD = LinkProfile.CLEAR.delay(100, 0).loss(0.10);
    private static final long SEED = 1;
    private static final int MESSAGES = 300;
    private static final int OPENS = 5;

    @Override
    public void run(Path folder, DrillReport report) throws IOException {
        try (Testbed testbed = Testbed.start(folder, SEED, "");
                Chromium chromium = testbed.browse();
                Page page = chromium.openPage(testbed.origin(), 800, 600)) {
            testbed.lab().link().profile(BAD);
            Object answer =
                    page.evaluate(
                            "o => ("
                                    + DataChannelTest.script()
                                    + ")({ ...o, RTCPeerConnection, addAudio: () => {} })",
                            Map.of("base", "", "model", "echo", "opens", OPENS, "load", MESSAGES));
            testbed.lab().link().profile(LinkProfile.CLEAR);
            tell(JsonParser.parseString(String.valueOf(answer)).getAsJsonObject(), report);
        }
    }

    private static void tell(JsonObject figures, DrillReport report) {
        report.tell("channel open, from the answer", millis(figures, "openMillis"), "ms");
        report.tell("256 KiB and five short ones echoed", millis(figures, "kindsMillis"), "ms");
        double load = millis(figures, "loadMillis");
        report.tell(MESSAGES + " messages echoed in order", load, "ms");
        double kilobytes = figures.get("loadBytes").getAsDouble() / 1_000;
        report.tell("throughput, each way", kilobytes / load * 1_000, "kB/s");
        report.tell(
                "a channel opened, used and closed", millis(figures, "churnMillis") / OPENS, "ms");
        report.require("nothing hung, was lost or came out of order", true);
    }

    private static double millis(JsonObject figures, String name) {
        return figures.get(name).getAsDouble();
    }
}
