package dev.parley.e2e.drill;

import dev.parley.bench.ProcessMemory;
import dev.parley.e2e.client.LibwebrtcCaller;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Everything that Redis can do to a relay, while a call goes on, media of many clients flows and
 * strangers send: nobody may notice, and all must be as before afterwards.
 *
 * @param outage how long each fault lasts
 * @param failover whether to let Sentinel promote a replica as well
 */
record RedisOutage(Duration outage, boolean failover) implements Drill {
    private static final int FLOWS = 50;
    private static final int STRANGERS = 50;
    private static final int PACKETS_PER_SECOND = 500;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Nobody would call this an interruption. */
    private static final double GAP_MILLIS = 250;

    private static final double HEAP_MIB = 8;

    // Entries are refreshed after 4 to 9 seconds this way.
    private static final String OPTIONS = "flow_timeout: 10s\n";

    private interface Fault {
        void run() throws Exception;
    }

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        try (RedisProcess redis = RedisProcess.start(folder);
                RelaySystem system = RelaySystem.start(folder, OPTIONS + redis.relayOptions());
                Scene scene = new Scene(system, report)) {
            scene.during("undisturbed", () -> {}, outage.dividedBy(4), () -> {});
            scene.during("killed", redis::kill, outage, redis::startAgain);
            scene.awaitWell("killed", redis);
            Slowness slowness = new Slowness(redis);
            scene.during("slow", slowness::begin, outage, slowness::end);
            scene.awaitWell("slow", redis);
            scene.during(
                    "full",
                    () -> redis.command("CONFIG", "SET", "maxmemory", "1"),
                    outage,
                    () -> redis.command("CONFIG", "SET", "maxmemory", "0"));
            scene.awaitWell("full", redis);
            scene.during("restarted empty", redis::restart, outage.dividedBy(4), () -> {});
            scene.awaitWell("restarted empty", redis);
            scene.finish("standalone");
        }
        if (failover) {
            failOver(folder, report);
        }
    }

    private void failOver(Path folder, DrillReport report) throws Exception {
        try (RedisProcess master = RedisProcess.start(folder);
                RedisProcess replica =
                        RedisProcess.start(folder, "--replicaof", "127.0.0.1", "" + master.port());
                RedisProcess sentinel = RedisProcess.startSentinel(folder, master);
                RelaySystem system =
                        RelaySystem.start(
                                folder,
                                OPTIONS
                                        + "flow_store: redis\nredis_mode: sentinel\n"
                                        + "redis_master: flows\nredis_nodes: [\"127.0.0.1:"
                                        + sentinel.port()
                                        + "\"]\n");
                Scene scene = new Scene(system, report)) {
            // It learns of the replica by asking the master now and then.
            scene.await(
                    "failed over: the Sentinel knows the replica",
                    () -> sentinel.command("SENTINEL", "REPLICAS", "flows").contains("ok"));
            scene.during(
                    "failed over",
                    master::kill,
                    outage.dividedBy(4),
                    () ->
                            scene.await(
                                    "failed over: the replica is master",
                                    () -> replica.command("ROLE").contains("master")));
            scene.awaitWell("failed over", replica);
            scene.finish("Sentinel");
        }
    }

    /** Lets every command wait for half a second, again and again. */
    private static final class Slowness {
        private final RedisProcess redis;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private volatile boolean ending;

        Slowness(RedisProcess redis) {
            this.redis = redis;
        }

        void begin() {
            Thread.ofVirtual().start(this::pauseAgainAndAgain);
        }

        private void pauseAgainAndAgain() {
            try {
                while (!ending) {
                    redis.command("CLIENT", "PAUSE", "500", "ALL");
                }
                ended.complete(null);
            } catch (IOException e) {
                ended.completeExceptionally(e);
            }
        }

        void end() {
            ending = true;
            ended.join();
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    /** A call, flows and strangers, and what is watched of them. */
    private static final class Scene implements AutoCloseable {
        private final RelaySystem system;
        private final DrillReport report;
        private final SyntheticFlows flows;
        private final LibwebrtcCaller caller;
        private final AtomicInteger notLive = new AtomicInteger();
        private final AtomicInteger asked = new AtomicInteger();
        private final double heapBefore;
        private volatile boolean closed;

        Scene(RelaySystem system, DrillReport report) throws IOException, InterruptedException {
            this.system = system;
            this.report = report;
            flows = new SyntheticFlows(system.relayAddress(), FLOWS, STRANGERS);
            caller = LibwebrtcCaller.call(system.base(), "echo");
            caller.awaitConnected(CONNECT_TIMEOUT);
            flows.establish();
            flows.start(PACKETS_PER_SECOND);
            var _ = Thread.ofVirtual().start(this::watch);
            Thread.sleep(2_000);
            heapBefore = ProcessMemory.liveHeapMib(system.relay().pid());
        }

        private void watch() {
            try {
                while (!closed) {
                    asked.incrementAndGet();
                    if (system.health("/livez") != 200) {
                        notLive.incrementAndGet();
                    }
                    Thread.sleep(100);
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }

        /**
         * Makes a fault, lets it last, places a call, ends the fault, and tells what was noticed.
         */
        void during(String name, Fault begin, Duration time, Fault end) throws Exception {
            long from = System.nanoTime();
            long received = system.packetsReceived(caller.location());
            int notLiveBefore = notLive.get();
            begin.run();
            Thread.sleep(time);
            call(name);
            report.require(name + ": ready all the while", system.health("/readyz") == 200);
            end.run();
            long to = System.nanoTime();
            double seconds = (to - from) / 1e9;
            report.within(
                    name + ": longest gap in the call's audio, down",
                    system.tap().down().longestGapMillis(from, to),
                    GAP_MILLIS);
            report.atLeast(
                    name + ": the call's packets a second, up",
                    (system.packetsReceived(caller.location()) - received) / seconds,
                    "",
                    45);
            report.atMost(
                    name + ": times that liveness failed", notLive.get() - notLiveBefore, "", 0);
            // Last, as it makes the relay collect its garbage.
            heap(name + ": the relay's heap has grown meanwhile");
        }

        /** Places a new call and ends it. */
        void call(String name) {
            try (LibwebrtcCaller another = LibwebrtcCaller.call(system.base(), "echo")) {
                LibwebrtcCaller.Setup setup = another.awaitConnected(CONNECT_TIMEOUT);
                report.atMost(name + ": a new call is set up", setup.connected(), "ms", 5_000);
                report.require(name + ": and ends well", another.hangUp() == 200);
            }
        }

        /** Waits until the relay is content and its flows are stored again. */
        void awaitWell(String name, RedisProcess redis) throws Exception {
            await(
                    name + ": readiness is content again",
                    () -> system.readiness().contains("\"degraded\":[]"));
            await(name + ": all flows are stored", () -> redis.entries() > FLOWS);
            heap(name + ": the relay's heap has grown in all");
        }

        private void heap(String what) throws IOException {
            report.atMost(
                    what,
                    ProcessMemory.liveHeapMib(system.relay().pid()) - heapBefore,
                    "MiB",
                    HEAP_MIB);
        }

        void await(String what, Condition condition) throws Exception {
            long start = System.nanoTime();
            while (!condition.holds() && System.nanoTime() - start < PATIENCE.toNanos()) {
                Thread.sleep(50);
            }
            report.atMost(
                    what + ", after",
                    (System.nanoTime() - start) / 1e6,
                    "ms",
                    (double) PATIENCE.toMillis());
        }

        void finish(String redis) throws InterruptedException {
            flows.finish();
            report.atMost(redis + ": packets of the flows lost, up", flows.lostUp(), "", 0);
            report.atMost(redis + ": packets of the flows lost, down", flows.lostDown(), "", 0);
            report.tell(redis + ": times that liveness was asked for", asked.get(), "");
            report.require(redis + ": the call ends like any other", caller.hangUp() == 200);
        }

        @Override
        public void close() {
            closed = true;
            caller.close();
            flows.close();
        }
    }
}
