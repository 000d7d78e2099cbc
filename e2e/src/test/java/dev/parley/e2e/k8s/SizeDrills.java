package dev.parley.e2e.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.parley.e2e.ChildProcess;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What each pod takes, by name of the drill: the requests in the manifests follow from this. */
final class SizeDrills {
    /** Sends PCM without end, so each call's uplink is decoded and its downlink encoded. */
    private static final String PCM = "tone";

    private static final int RAMP_PER_SECOND = 10;
    private static final Duration SETTLE = Duration.ofSeconds(3);
    private static final Duration MEASURE = Duration.ofSeconds(15);
    private static final Duration SPARE = Duration.ofSeconds(10);

    /** Of a limit, what is left is for what was not measured. */
    private static final double MAX_SHARE = 0.85;

    private SizeDrills() {}

    static Map<String, Drill> all() {
        Map<String, Drill> drills = new LinkedHashMap<>();
        drills.put("k8s-sizes", (folder, report) -> run(folder, report, 100, 2, "echo"));
        drills.put("k8s-sizes-200", (folder, report) -> run(folder, report, 200, 1, "echo"));
        drills.put("k8s-sizes-300", (folder, report) -> run(folder, report, 300, 1, "echo"));
        drills.put("k8s-sizes-pcm", (folder, report) -> run(folder, report, 60, 1, PCM));
        return drills;
    }

    private static void run(
            Path folder, DrillReport report, int calls, int transceivers, String model)
            throws Exception {
        Manifests manifests = Manifests.rendered("local");
        manifests.replicas("transceiver", transceivers);
        try (Cluster cluster = Cluster.start(folder, manifests, Map.of(), true)) {
            Thread.sleep(SETTLE);
            measure(cluster, report, "at rest, after its rehearsal");
            Duration ramp = Duration.ofSeconds(calls / RAMP_PER_SECOND);
            Path figures = folder.resolve("load.json");
            try (ChildProcess load = load(cluster, figures, calls, model, ramp)) {
                Thread.sleep(ramp.plus(SPARE));
                measure(cluster, report, "with " + calls + " calls");
                report.require("the load ends well", load.awaitExit() == 0);
            }
            JsonNode told = new ObjectMapper().readTree(figures.toFile());
            report.atLeast("calls connected", told.path("connected").asDouble(), "", calls);
            report.atMost("calls dropped", told.path("ended_early").asLong(), "", 0);
            report.tell("packets lost", 100 * told.path("loss").asDouble(), "%");
            ClusterDrills.probes(cluster, report);
        }
    }

    private static ChildProcess load(
            Cluster cluster, Path figures, int calls, String model, Duration ramp) {
        Duration lasts = ramp.plus(SPARE).plus(MEASURE).plus(SETTLE);
        return ChildProcess.parley(
                "load",
                "--url",
                cluster.base().toString(),
                "--model",
                model,
                "--sessions",
                Integer.toString(calls),
                "--ramp",
                Integer.toString(RAMP_PER_SECOND),
                "--seconds",
                Long.toString(lasts.toSeconds()),
                "--json",
                figures.toString());
    }

    private static void measure(Cluster cluster, DrillReport report, String when)
            throws IOException, InterruptedException {
        Map<RunningPod, Duration> before = new LinkedHashMap<>();
        for (String name : List.of("relay", "transceiver", "signaling", "inference", "redis")) {
            cluster.endpoints(name).forEach(pod -> before.put(pod, pod.processorTime()));
        }
        Thread.sleep(MEASURE);
        for (Map.Entry<RunningPod, Duration> entry : before.entrySet()) {
            RunningPod pod = entry.getKey();
            double used = pod.processorTime().minus(entry.getValue()).toNanos();
            String what = pod + ", " + when;
            report.tell(what + ", memory", pod.residentMebibytes(), "MiB");
            report.atMost(
                    what + ", most memory ever",
                    pod.mostResidentMebibytes(),
                    "MiB",
                    MAX_SHARE * pod.limitMebibytes());
            double beside = pod.besideHeapMebibytes();
            if (beside > 0) {
                String service = pod.workload().service().orElseThrow();
                double bound = MemoryShares.of(service).outsideHeap();
                report.atMost(what + ", beside its heap", beside, "MiB", bound);
            }
            report.tell(what + ", processor", 1e3 * used / MEASURE.toNanos(), "millicores");
        }
    }
}
