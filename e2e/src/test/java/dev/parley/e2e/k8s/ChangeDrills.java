package dev.parley.e2e.k8s;

import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import io.fabric8.kubernetes.api.model.EnvVar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What an operator changes while calls go on, by name of the drill. */
final class ChangeDrills {
    /** A folder with another version, built: its jars and its rendered manifests. */
    private static final String OTHER = System.getProperty("parley.from", "");

    /** Longer than a process leaves its files alone. */
    private static final Duration READ_AGAIN = Duration.ofSeconds(12);

    /** Longer than a client's consent lasts without an answer, RFC 7675 5.1. */
    private static final Duration CONSENT = Duration.ofSeconds(35);

    private static final Duration SETTLE = Duration.ofSeconds(3);
    private static final Duration DRAIN = Duration.ofSeconds(15);
    private static final Duration SHORT_GRACE = Duration.ofSeconds(10);
    private static final Duration GRACE = Duration.ofSeconds(30);
    private static final String OLD_KEY = "000102030405060708090a0b0c0d0e0f";
    private static final String NEW_KEY = "303132333435363738393a3b3c3d3e3f";

    private ChangeDrills() {}

    static Map<String, Drill> all() {
        Map<String, Drill> drills = new LinkedHashMap<>();
        drills.put("k8s-upgrade", ChangeDrills::upgrade);
        drills.put("k8s-keys", ChangeDrills::keys);
        drills.put("k8s-drain", ChangeDrills::drain);
        return drills;
    }

    // docs/deploy.md, Upgrades: from another version to this one, a service after the other.
    private static void upgrade(Path folder, DrillReport report) throws Exception {
        if (OTHER.isEmpty()) {
            throw new IllegalArgumentException("say which version: k8s-upgrade --from REVISION");
        }
        Path other = Path.of(OTHER);
        Manifests before =
                Manifests.parse(Files.readString(other.resolve("k8s/rendered/local.yaml")));
        Layout old = Layout.ofJars(other.resolve("app/target/lib"));
        Manifests now = Manifests.rendered("local");
        try (Cluster cluster = Cluster.start(folder, before, Map.of(), old, false);
                LiveCalls calls = ClusterDrills.calls(cluster)) {
            ClusterDrills.call(cluster, report, "the old version, a call works");
            cluster.version(now, Layout.current());
            for (String name : List.of("relay", "transceiver", "signaling", "inference")) {
                ClusterDrills.roll(cluster, calls, report, name, name + ", to the new version");
            }
            cluster.version(before, old);
            ClusterDrills.roll(cluster, calls, report, "signaling", "signaling, back again");
            ClusterDrills.roll(cluster, calls, report, "relay", "relay, back again");
            ClusterDrills.end(cluster, calls, report);
        }
    }

    // docs/deploy.md, Keys: all three steps; nothing is restarted, a mounted secret changes.
    private static void keys(Path folder, DrillReport report) throws Exception {
        try (Cluster cluster = Cluster.start(folder, Manifests.rendered("local"));
                LiveCalls early = ClusterDrills.calls(cluster)) {
            sealWithNewKey(cluster);
            report.atMost("the new key seals, calls dropped", early.silent(), "", 0);
            try (LiveCalls late = ClusterDrills.calls(cluster)) {
                cluster.secret("route_keys", "2=" + NEW_KEY);
                Thread.sleep(READ_AGAIN.plus(CONSENT));
                report.tell(
                        "the old key gone, calls of it that were not waited for and broke",
                        (double) early.silent(),
                        "");
                report.tell("  longest gap in those of the new", late.longestGapMillis(), "ms");
                report.atMost("  dropped of those of the new", late.silent(), "", 0);
                ClusterDrills.call(cluster, report, "the old key gone, a new call works");
                ClusterDrills.roll(cluster, late, report, "relay", "relay without the old key");
                ClusterDrills.end(cluster, late, report);
            }
        }
    }

    /** The first two steps. */
    static void sealWithNewKey(Cluster cluster) throws IOException, InterruptedException {
        cluster.secret("route_keys", "1=" + OLD_KEY + ",2=" + NEW_KEY);
        Thread.sleep(READ_AGAIN);
        cluster.secret("route_key_id", "2");
        Thread.sleep(READ_AGAIN);
    }

    // Calls that outlive their transceiver's drain, and such as outlive its pod's grace.
    private static void drain(Path folder, DrillReport report) throws Exception {
        drain(folder.resolve("ends"), report, "drain over", DRAIN, GRACE, false);
        Path other = folder.resolve("killed");
        drain(other, report, "grace over", GRACE.multipliedBy(10), SHORT_GRACE, true);
    }

    private static void drain(
            Path folder,
            DrillReport report,
            String what,
            Duration drains,
            Duration grace,
            boolean killed)
            throws Exception {
        Manifests manifests = Manifests.rendered("local");
        var pod = manifests.workload("transceiver").pod();
        pod.setTerminationGracePeriodSeconds(grace.toSeconds());
        pod.getContainers().getFirst().setLifecycle(null);
        pod.getContainers().getFirst().getEnv().stream()
                .filter(variable -> variable.getName().equals("PARLEY_DRAIN_TIMEOUT"))
                .forEach(variable -> seconds(variable, drains));
        try (Cluster cluster = Cluster.start(Files.createDirectories(folder), manifests);
                LiveCalls calls = ClusterDrills.calls(cluster)) {
            cluster.roll("transceiver");
            long start = System.nanoTime();
            List<RunningPod> left = cluster.awaitEnds(GRACE.multipliedBy(2));
            report.tell(what + ", old pods gone after", (System.nanoTime() - start) / 1e9, "s");
            report.require(what + ", old pods have ended: " + left, left.isEmpty());
            Thread.sleep(SETTLE);
            report.atLeast(what + ", calls ended", (double) calls.silent(), "", calls.count());
            report.require(
                    what + ", killed were " + cluster.killed(),
                    cluster.killed().isEmpty() != killed);
            ClusterDrills.call(cluster, report, what + ", a new call works");
            ClusterDrills.probes(cluster, report);
        }
    }

    private static void seconds(EnvVar variable, Duration time) {
        variable.setValue(time.toSeconds() + "s");
    }
}
