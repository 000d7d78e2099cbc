package dev.parley.e2e.k8s;

import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The drills with the rendered local overlay in network namespaces, by name. */
public final class ClusterDrills {
    private static final int CALLS = 3;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration ENDS = Duration.ofMinutes(2);
    private static final long SETTLE_MILLIS = 3_000;

    /** What a balancer's health check takes. */
    private static final Duration NOTICED = Duration.ofSeconds(3);

    private ClusterDrills() {}

    public static Map<String, Drill> all() {
        Map<String, Drill> drills = new LinkedHashMap<>();
        drills.put("k8s-rolling", ClusterDrills::rolling);
        drills.put("k8s-scaling", ClusterDrills::scaling);
        drills.put("k8s-node", ClusterDrills::node);
        drills.put("k8s-cloud", ClusterDrills::cloud);
        drills.putAll(ChangeDrills.all());
        drills.putAll(SizeDrills.all());
        return drills;
    }

    private static void rolling(Path folder, DrillReport report) throws Exception {
        try (Cluster cluster = Cluster.start(folder, Manifests.rendered("local"));
                LiveCalls calls = calls(cluster)) {
            for (String name : List.of("relay", "signaling", "transceiver", "inference", "redis")) {
                roll(cluster, calls, report, name, name);
            }
            // The new relay waits for the old one's port; by now that has gone.
            report.require(
                    "relay, operations page of the new one", cluster.showsOperations("relay"));
            rotateKeys(cluster, calls, report);
            cluster.rehearsing(true);
            for (String name : List.of("signaling", "transceiver")) {
                roll(cluster, calls, report, name, name + ", with its rehearsal");
            }
            end(cluster, calls, report);
        }
    }

    static void roll(Cluster cluster, LiveCalls calls, DrillReport report, String name, String what)
            throws Exception {
        double before = calls.longestGapMillis();
        var _ = cluster.mostPods();
        long start = System.nanoTime();
        cluster.roll(name);
        Thread.sleep(SETTLE_MILLIS);
        report.tell(what + " rolled in", (System.nanoTime() - start) / 1e9, "s");
        report.tell(what + ", most pods at once", cluster.mostPods(), "");
        report.tell(what + ", longest gap before", before, "ms");
        report.tell(what + ", longest gap in any call", calls.longestGapMillis(), "ms");
        report.atMost(what + ", calls dropped", calls.silent(), "", 0);
        call(cluster, report, what + ", a new call works");
    }

    // docs/deploy.md, Keys: nothing is restarted, a mounted secret changes.
    private static void rotateKeys(Cluster cluster, LiveCalls calls, DrillReport report)
            throws Exception {
        ChangeDrills.sealWithNewKey(cluster);
        call(cluster, report, "keys rotated, a new call works");
        report.tell("keys rotated, longest gap in any call", calls.longestGapMillis(), "ms");
        report.atMost("keys rotated, calls dropped", calls.silent(), "", 0);
    }

    // Relays as pods behind a balancer, as in the cloud: rolled; killed with their node; Redis too.
    private static void cloud(Path folder, DrillReport report) throws Exception {
        Manifests manifests = CloudRelays.manifests();
        try (Cluster cluster =
                        Cluster.start(folder, manifests, CloudRelays.secrets(manifests), false);
                LiveCalls calls = calls(cluster)) {
            roll(cluster, calls, report, "relay", "relays behind a balancer");
            roll(cluster, calls, report, "redis", "redis");
            List<RunningPod> redis = cluster.endpoints("redis");
            cluster.kill(redis);
            cluster.missed(redis);
            Thread.sleep(SETTLE_MILLIS);
            report.tell("redis killed, longest gap in any call", calls.longestGapMillis(), "ms");
            report.atMost("redis killed, calls dropped", calls.silent(), "", 0);
            call(cluster, report, "without redis, a new call works");
            cluster.replace(redis);
            Thread.sleep(SETTLE_MILLIS);
            nodeWithRelay(cluster, calls, report);
            end(cluster, calls, report);
        }
    }

    private static void nodeWithRelay(Cluster cluster, LiveCalls calls, DrillReport report)
            throws Exception {
        // Each relay is killed once, so whoever's it was.
        int relays = cluster.endpoints("relay").size();
        for (int i = 1; i <= relays; i++) {
            List<RunningPod> dying =
                    List.of(
                            cluster.endpoints("relay").getFirst(),
                            cluster.endpoints("signaling").getFirst());
            cluster.kill(dying);
            Thread.sleep(NOTICED.toMillis());
            cluster.missed(dying);
            Thread.sleep(SETTLE_MILLIS);
            String what = "node " + i + " with a relay died";
            report.tell(what + ", longest gap", calls.longestGapMillis(), "ms");
            report.atMost(what + ", calls dropped", calls.silent(), "", 0);
            cluster.replace(dying);
        }
        call(cluster, report, "nodes replaced, a new call works");
    }

    private static void scaling(Path folder, DrillReport report) throws Exception {
        try (Cluster cluster = Cluster.start(folder, Manifests.rendered("local"));
                LiveCalls calls = calls(cluster)) {
            cluster.scale("transceiver", 5);
            Thread.sleep(2 * SETTLE_MILLIS);
            for (int i = 0; i < CALLS; i++) {
                calls.add();
            }
            report.atMost("calls dropped by 2 -> 5", calls.silent(), "", 0);
            report.tell("longest gap, 2 -> 5", calls.longestGapMillis(), "ms");
            cluster.scale("transceiver", 2);
            Thread.sleep(2 * SETTLE_MILLIS);
            report.atMost("calls dropped by 5 -> 2", calls.silent(), "", 0);
            report.tell("longest gap, 5 -> 2", calls.longestGapMillis(), "ms");
            call(cluster, report, "a new call works");
            end(cluster, calls, report);
        }
    }

    // One transceiver and one of each other service but the relay: what a second node would hold.
    private static void node(Path folder, DrillReport report) throws Exception {
        try (Cluster cluster = Cluster.start(folder, Manifests.rendered("local"));
                LiveCalls calls = calls(cluster)) {
            List<RunningPod> dying =
                    List.of(
                            cluster.endpoints("transceiver").getLast(),
                            cluster.endpoints("signaling").getLast());
            long start = System.nanoTime();
            cluster.kill(dying);
            Thread.sleep(SETTLE_MILLIS);
            long lost = calls.silent();
            report.tell("calls that were on it", lost, "");
            report.atMost("calls lost of all", lost, "", calls.count() - 1L);
            report.tell("  longest gap in the others", calls.longestGapMillis(), "ms");
            cluster.replace(dying);
            report.tell("replaced after", (System.nanoTime() - start) / 1e9, "s");
            call(cluster, report, "a new call works");
            report.atMost("calls lost since", calls.silent() - lost, "", 0);
            probes(cluster, report);
        }
    }

    static LiveCalls calls(Cluster cluster) throws InterruptedException {
        LiveCalls calls = new LiveCalls(cluster.base());
        for (int i = 0; i < CALLS; i++) {
            calls.add();
        }
        Thread.sleep(SETTLE_MILLIS);
        return calls;
    }

    static void call(Cluster cluster, DrillReport report, String what) {
        try (LibwebrtcCaller caller = LibwebrtcCaller.call(cluster.base(), "echo")) {
            LibwebrtcCaller.Setup setup = caller.awaitConnected(CONNECT_TIMEOUT);
            caller.listen(Duration.ofSeconds(1));
            report.require(what, caller.stats().packetsReceived() > 0);
            report.tell(what + ", connected after", setup.connected(), "ms");
            report.require(what + ", and can be ended", caller.hangUp() == 200);
        }
    }

    static void end(Cluster cluster, LiveCalls calls, DrillReport report)
            throws IOException, InterruptedException {
        report.require("every call can be ended", calls.hangUp() == calls.count());
        List<RunningPod> left = cluster.awaitEnds(ENDS);
        report.require("what was told to stop has stopped: " + left, left.isEmpty());
        report.require(
                "nobody was killed at the end of its grace: " + cluster.killed(),
                cluster.killed().isEmpty());
        probes(cluster, report);
    }

    static void probes(Cluster cluster, DrillReport report) {
        ProbeWatch probes = cluster.probes();
        report.tell("probes asked", probes.asked(), "");
        report.tell("probes missed", probes.missed(), "");
        report.require("no probe failed for good: " + probes.faults(), probes.faults().isEmpty());
    }
}
