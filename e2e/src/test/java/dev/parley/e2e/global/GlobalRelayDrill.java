package dev.parley.e2e.global;

import com.fasterxml.jackson.databind.JsonNode;
import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.lab.Traffic;
import java.io.IOException;
import java.nio.file.Path;

/**
 * {@code ./parley drill global-relay}: three regions. From each a caller calls a model on another
 * continent, entering near itself and, to compare, there over the public network; then one call
 * lives through the faults of what is between it and its transceiver.
 */
public final class GlobalRelayDrill implements Drill {
    private static final long LISTEN_MILLIS = 12_000;
    private static final long SETTLE_MILLIS = 1_500;

    /**
     * The wait for another relay of the group: leg_timeout, a probe's period, a round trip, a
     * packet.
     */
    private static final double MOST_FAILOVER_MILLIS = 700 + 350 + 200 + 250;

    /** A relay's start takes a second or two on a machine that is free; see relay-kill. */
    private static final double MOST_RESTART_MILLIS = 10_000;

    /** A client that hears nothing for this long restarts ICE. */
    private static final long PATIENCE_MILLIS = 2_000;

    /** The patience, and a request, checks and their answers between continents. */
    private static final double MOST_SECOND_INGRESS_MILLIS = PATIENCE_MILLIS + 2_000;

    private static final double MOST_CALM_MILLIS = 250;
    private static final double RECOGNISED = Correlation.SAME_SPEECH;

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        try (SmallWorld world = new SmallWorld(folder)) {
            Thread.sleep(SETTLE_MILLIS);
            for (Region region : Region.values()) {
                compare(world, region, report);
            }
            faults(world, report);
            secondIngress(world, report);
        }
    }

    // --- near against far

    private static void compare(SmallWorld world, Region region, DrillReport report)
            throws Exception {
        Region home = region.home();
        String way = region.text() + " to " + home.text();
        // The first call of a process loads what the next ones find there.
        warmUp(world, region, region, home);
        warmUp(world, region, home, home);
        Entry near = enter(world, region, region, home);
        near.tell(report, way + ", entering near");
        Entry far = enter(world, region, home, home);
        far.tell(report, way + ", entering far");
        report.require(way + ": both calls live there", near.isIn(home) && far.isIn(home));
        report.require(
                way + ": each entered where it should", near.entered(region) && far.entered(home));
        report.atMost(
                way + ": round trip near less far", near.roundTrip() - far.roundTrip(), "ms", 0);
        report.atMost(way + ": jitter near less far", near.jitter() - far.jitter(), "ms", 0);
        report.atMost(way + ": packets lost near less far", near.loss() - far.loss(), "%", 0);
    }

    /** A caller's figures. */
    private record Entry(
            double answered,
            double connected,
            double roundTrip,
            double jitter,
            double loss,
            double concealed,
            int cluster,
            String remote) {
        void tell(DrillReport report, String what) {
            report.tell(what + ": answered after", answered, "ms");
            report.tell(what + ": connected after", connected, "ms");
            report.tell(what + ": media round trip", roundTrip, "ms");
            report.tell(what + ": jitter", jitter, "ms");
            report.tell(what + ": packets lost, both ways", loss, "%");
            report.tell(what + ": audio made up by the client", concealed, "%");
        }

        boolean isIn(Region region) {
            return cluster == region.number();
        }

        boolean entered(Region region) {
            return remote.startsWith(region.publicAddress() + ":");
        }
    }

    private static void warmUp(SmallWorld world, Region caller, Region at, Region home)
            throws IOException {
        try (Caller call = call(world, caller, at, home)) {
            var _ = call.hangUp();
        }
    }

    private static Entry enter(SmallWorld world, Region caller, Region at, Region home)
            throws Exception {
        try (Caller call = call(world, caller, at, home)) {
            Thread.sleep(SETTLE_MILLIS);
            JsonNode before = call.stats();
            double roundTrips = 0;
            int samples = 0;
            for (long waited = 0; waited < LISTEN_MILLIS; waited += 1_000) {
                Thread.sleep(1_000);
                roundTrips += call.stats().path("round_trip_ms").asDouble();
                samples++;
            }
            JsonNode after = call.stats();
            long sent = grown(before, after, "sent");
            long received = grown(before, after, "received");
            long lostDown = grown(before, after, "lost");
            long lostUp = lostUp(before, after);
            int status = call.hangUp();
            if (status != 200) {
                throw new IOException("hanging up answered " + status);
            }
            return new Entry(
                    call.connected().path("answered_ms").asDouble(),
                    call.connected().path("connected_ms").asDouble(),
                    roundTrips / samples,
                    after.path("jitter_ms").asDouble(),
                    100.0 * (lostDown + lostUp) / Math.max(1, sent + received + lostDown),
                    100.0 * grown(before, after, "concealed") / (48.0 * LISTEN_MILLIS),
                    call.cluster(),
                    after.path("remote").asText());
        }
    }

    private static long lostUp(JsonNode before, JsonNode after) {
        return Math.max(0, grown(before, after, "sent") - grown(before, after, "accepted"));
    }

    private static long grown(JsonNode before, JsonNode after, String what) {
        return after.path(what).asLong() - before.path(what).asLong();
    }

    private static Caller call(SmallWorld world, Region caller, Region at, Region home)
            throws IOException {
        return call(world, caller, at, "echo&region=" + home.text());
    }

    private static Caller call(SmallWorld world, Region caller, Region at, String query)
            throws IOException {
        return new Caller(
                world.world().in("caller-" + caller.text()), SmallWorld.signaling(at), query);
    }

    // --- what may happen to a call

    private static void faults(SmallWorld world, DrillReport report) throws Exception {
        Region region = Region.EU;
        Region home = SmallWorld.HOME;
        try (Caller call = call(world, region, region, home)) {
            Thread.sleep(SETTLE_MILLIS);
            Live live = new Live(world, call, report);
            live.during("nothing happens", MOST_CALM_MILLIS, () -> {});
            live.during(
                    "the map is read again",
                    MOST_CALM_MILLIS,
                    () -> {
                        world.state(Region.AP, "draining");
                        Thread.sleep(SETTLE_MILLIS);
                        world.state(Region.AP, "active");
                    });
            live.during(
                    "a bad map comes",
                    MOST_CALM_MILLIS,
                    () -> {
                        world.put("clusters:\n  - {id: 1, name: eu, colour: red}\n");
                        Thread.sleep(SETTLE_MILLIS);
                    });
            report.require(
                    "the bad map is refused with its line",
                    world.output().stream()
                            .anyMatch(line -> line.contains("line 2: colour: unknown key")));
            live.during(
                    "the home cluster drains",
                    MOST_CALM_MILLIS,
                    () -> {
                        world.state(home, "draining");
                        Thread.sleep(SETTLE_MILLIS);
                    });
            try (Caller other = call(world, region, region, home)) {
                report.require(
                        "a new call goes to another cluster", other.cluster() != home.number());
                var _ = other.hangUp();
            }
            world.state(home, "active");
            Thread.sleep(SETTLE_MILLIS);
            live.during(
                    "the backbone is cut",
                    MOST_FAILOVER_MILLIS,
                    () -> {
                        world.cutBackbone(true);
                        Thread.sleep(2 * SETTLE_MILLIS);
                    });
            world.cutBackbone(false);
            Thread.sleep(2 * SETTLE_MILLIS);
            live.during(
                    "the home relay is killed",
                    MOST_FAILOVER_MILLIS,
                    () -> {
                        world.relay(home).kill();
                        Thread.sleep(2 * SETTLE_MILLIS);
                    });
            var _ = world.startRelay(home, 0);
            Thread.sleep(2 * SETTLE_MILLIS);
            live.during(
                    "the ingress relay is killed and started again",
                    MOST_RESTART_MILLIS,
                    () -> {
                        world.relay(region).kill();
                        var _ = world.relay(region).awaitExit();
                        var _ = world.startRelay(region, 0);
                        live.ready();
                        Thread.sleep(SETTLE_MILLIS);
                    });
            report.atMost(
                    "the call is back after the ingress relay was ready", live.back(), "ms", 500);
            report.atLeast("words come back after all of it, score", call.say(), "", RECOGNISED);
            report.require("the call ends like any other", call.hangUp() == 200);
        }
    }

    // An ingress that is gone for good: nobody takes its address over, so the client must.
    private static void secondIngress(SmallWorld world, DrillReport report) throws Exception {
        Region region = Region.EU;
        Region home = SmallWorld.HOME;
        String two = "echo&ingress_candidates=2&region=" + home.text();
        try (Caller call = call(world, region, region, two)) {
            Thread.sleep(SETTLE_MILLIS);
            report.require("a call that is told two ingresses enters near", call.entersAt(region));
            Live live = new Live(world, call, report);
            live.during(
                    "the ingress goes for good, the client restarts ICE",
                    MOST_SECOND_INGRESS_MILLIS,
                    () -> {
                        world.relay(region).kill();
                        Thread.sleep(PATIENCE_MILLIS);
                        call.restart();
                        Thread.sleep(2 * SETTLE_MILLIS);
                    });
            report.require("the call goes on by another ingress", call.entersAt(home));
            report.require("that call ends like any other", call.hangUp() == 200);
        }
        try (Caller call = call(world, region, region, two)) {
            report.tell(
                    "its near ingress gone, a call told of two: connected after",
                    call.connected().path("connected_ms").asDouble(),
                    "ms");
            Thread.sleep(SETTLE_MILLIS);
            report.require("it enters at the other", call.entersAt(home));
            var _ = call.hangUp();
        }
        var _ = world.startRelay(region, 0);
    }

    /** One call, and what faults do to what its caller hears. */
    private static final class Live {
        private final Traffic heard;
        private final Caller call;
        private final DrillReport report;
        private double sinceReady = -1;

        Live(SmallWorld world, Caller call, DrillReport report) {
            this.heard = world.world().arrivedAt("caller-" + Region.EU.text());
            this.call = call;
            this.report = report;
        }

        interface Fault {
            void happen() throws Exception;
        }

        void during(String what, double mostMillis, Fault fault) throws Exception {
            JsonNode before = call.stats();
            heard.mark();
            fault.happen();
            Thread.sleep(SETTLE_MILLIS);
            double gap = heard.longestGapMillis();
            JsonNode after = call.stats();
            report.atMost(what + ": longest silence", gap, "ms", mostMillis);
            // The transceiver cannot be asked while the backbone is cut.
            if (after.path("accepted").asLong() >= 0) {
                report.tell(what + ": packets of the caller lost", lostUp(before, after), "");
            }
        }

        /** The relay that was away is ready. */
        void ready() throws InterruptedException {
            long before = heard.media();
            long start = System.nanoTime();
            while (heard.media() == before && System.nanoTime() - start < 5_000_000_000L) {
                Thread.sleep(1);
            }
            sinceReady = (System.nanoTime() - start) / 1e6;
        }

        double back() {
            return sinceReady;
        }
    }
}
