package dev.parley.e2e;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.microsoft.playwright.Page;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.lab.Lab;
import dev.parley.e2e.lab.LinkProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * {@code ./parley drill setup}: how many round trips a call takes from its offer to audio both ways
 * and to the first server event, and where each millisecond goes: a Chromium and then {@code
 * ./parley load} at 100 ms there and back, and the same with no way between them; and Chromium's
 * data channel with SNAP, which it has behind a switch.
 *
 * <p>With DTLS 1.2 the least that there can be is 3.5 round trips to the client's audio here and 3
 * to ours there: the offer and its answer 1, a check half a one, our hello and the client's flight
 * 1, and ours half a one, behind which our audio is; the client's comes with its Finished.
 */
final class SetupDrill implements Drill {
    static final String CLIENT_AUDIO = "the client's audio is here";
    static final String OUR_AUDIO = "our audio is at the client";
    static final String CHANNEL = "the channel is open at the client";
    static final String EVENT = "the first server event is at the client";

    private static final int COLD_CALLS = 3;
    private static final int CALLS = 11;
    private static final long ONE_WAY_MILLIS = 50;
    private static final double ROUND_TRIP_MILLIS = 2.0 * ONE_WAY_MILLIS;
    private static final long LOAD_SECONDS = 90;
    private static final long SEED = 1;

    /**
     * What the rest may add: the pace of 20 ms, SCTP's packets and the page. A round trip more does
     * not fit.
     */
    private static final double SLACK = 0.5;

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        try (Testbed testbed = Testbed.start(folder, SEED, "snap: true")) {
            Lab lab = testbed.lab();
            try (Chromium chromium = testbed.browse();
                    Page page = chromium.openPage(testbed.origin(), 800, 600)) {
                var _ = calls(COLD_CALLS, page, lab, 0);
                List<SetupCall> near = calls(CALLS, page, lab, 0);
                lab.link().profile(LinkProfile.CLEAR.delay(ONE_WAY_MILLIS, 0));
                List<SetupCall> far = calls(CALLS, page, lab, ONE_WAY_MILLIS);
                print(near, far);
                near.getFirst()
                        .moments()
                        .keySet()
                        .forEach(
                                what ->
                                        report.tell(
                                                what + ", no way between",
                                                median(near, what),
                                                "ms"));
                bound(report, far, CLIENT_AUDIO, 3.5);
                bound(report, far, OUR_AUDIO, 3);
                bound(report, far, CHANNEL, 5);
                bound(report, far, EVENT, 6);
            }
            snap(testbed, report);
            load(folder, testbed, "100 ms", report);
            lab.link().profile(LinkProfile.CLEAR);
            load(folder, testbed, "no way between", report);
        }
    }

    /** With what Chromium tries out behind switches. */
    private static void snap(Testbed testbed, DrillReport report) {
        try (Chromium chromium =
                        testbed.browse(
                                "--force-fieldtrials=WebRTC-Sctp-Snap/Enabled/",
                                "--enable-features=WebRtcSctpSnap",
                                "--disable-features=WebRtcPqcForDtls");
                Page page = chromium.openPage(testbed.origin(), 800, 600)) {
            List<SetupCall> calls = calls(CALLS, page, testbed.lab(), ONE_WAY_MILLIS);
            report.require(
                    "SNAP: offered by Chromium",
                    calls.stream().allMatch(call -> call.has("offered")));
            report.require("SNAP: answered", calls.stream().allMatch(call -> call.has("snap")));
            bound(report, calls, CHANNEL, "SNAP: ", 3);
            bound(report, calls, EVENT, "SNAP: ", 4);
        }
    }

    private static List<SetupCall> calls(int count, Page page, Lab lab, double oneWayMillis) {
        List<SetupCall> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(SetupCall.place(page, lab, oneWayMillis));
        }
        return calls;
    }

    private static void bound(
            DrillReport report, List<SetupCall> calls, String what, double least) {
        bound(report, calls, what, "", least);
    }

    private static void bound(
            DrillReport report, List<SetupCall> calls, String what, String prefix, double least) {
        report.tell(prefix + what, median(calls, what) / ROUND_TRIP_MILLIS, "round trips");
        double worst =
                calls.stream().mapToDouble(call -> moment(call, what).millis()).max().orElseThrow();
        report.tell(
                prefix + what + ", slowest of " + CALLS, worst / ROUND_TRIP_MILLIS, "round trips");
        double onTheWay = median(calls, (SetupCall call) -> moment(call, what).wayMillis());
        report.atMost(
                prefix + what + ", on the way alone",
                onTheWay / ROUND_TRIP_MILLIS,
                "round trips",
                least + SLACK);
    }

    private static double median(List<SetupCall> calls, String what) {
        return median(calls, (SetupCall call) -> moment(call, what).millis());
    }

    private static SetupCall.Moment moment(SetupCall call, String what) {
        return Objects.requireNonNull(call.moments().get(what), what);
    }

    private static double median(List<SetupCall> calls, ToDoubleFunction<SetupCall> of) {
        double[] sorted = calls.stream().mapToDouble(of).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private static void print(List<SetupCall> near, List<SetupCall> far) {
        System.out.printf(
                "%nWhere each millisecond goes, medians of %d calls of Chromium's%n%-44s %14s %14s%n",
                CALLS, "", "no way between", "100 ms");
        List<SetupCall.Part> parts = far.getFirst().parts();
        for (int i = 0; i < parts.size(); i++) {
            int at = i;
            System.out.printf(
                    Locale.ROOT,
                    "%-44s %11.1f ms %11.1f ms%n",
                    parts.get(i).what(),
                    median(near, call -> call.parts().get(at).millis()),
                    median(far, call -> call.parts().get(at).millis()));
        }
        System.out.println();
    }

    /** As many set-ups as make a 99th percentile. */
    private static void load(Path folder, Testbed testbed, String where, DrillReport report)
            throws IOException {
        Path json = folder.resolve("load.json");
        try (ChildProcess load =
                ChildProcess.parley(
                        testbed.lab().inClient(),
                        "load",
                        "--url",
                        testbed.origin(),
                        "--sessions",
                        "20",
                        "--ramp",
                        "10",
                        "--call-seconds",
                        "2",
                        "--seconds",
                        "20",
                        "--json",
                        json.toString())) {
            int exit = load.awaitExit(LOAD_SECONDS);
            if (exit != 0) {
                throw new IOException("load ended with " + exit + ": " + load.output());
            }
        }
        JsonObject figures = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
        String prefix = "load, " + where + ": ";
        report.tell(prefix + "calls connected", figures.get("connected").getAsLong(), "");
        // Those that are under way when it ends count as failed.
        report.tell(prefix + "calls failed", figures.get("failed").getAsLong(), "");
        System.out.println(prefix + "errors " + figures.get("errors"));
        for (String name : List.of("post", "ice", "dtls", "setup")) {
            for (String percentile : List.of("p50", "p99")) {
                report.tell(
                        prefix + name + " " + percentile,
                        figures.get(name + "_ms_" + percentile).getAsDouble(),
                        "ms");
            }
        }
    }
}
