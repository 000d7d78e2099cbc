package dev.parley.e2e.hostile;

import dev.parley.bench.signaling.BenchCall;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.hostile.Counts.Expected;
import dev.parley.e2e.hostile.HostileSystem.Service;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * Calls go on, somebody attacks, and the calls must not notice: their round trips and losses before
 * and meanwhile, whether the services counted what arrived, what they hold, and what came back to
 * the addresses that the attack was sent from. A flood is sent to a port that nobody reads first:
 * what it costs there is this machine's, where attackers, callers and services share the cores.
 */
final class HostileDrill implements Drill {
    private static final int CALLS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** What was counted is told a moment later. */
    private static final Duration SETTLING = Duration.ofMillis(500);

    /** Packets that a call may have lost, of a thousand. */
    private static final double MAX_LOSS_PERCENT = 0.1;

    /** How much later audio may come: less than anybody hears. */
    private static final double MAX_DELAY_MILLIS = 40;

    /** Callers that get no time to speak show nothing. */
    private static final double MIN_SPOKEN_PERCENT = 90;

    private static final double MAX_GROWTH_MIB = 32;
    private static final int MAX_MORE_THREADS = 64;
    private static final int MAX_MORE_DESCRIPTORS = 64;

    /**
     * How long each part lasts.
     *
     * @param warming what was never run is compiled first
     */
    private record Times(Duration warming, Duration before, Duration control, Duration meanwhile) {
        static final Times USUAL = ofMillis(3_000, 4_000, 3_000, 8_000);
        static final Times QUICK = ofMillis(500, 1_000, 500, 2_000);

        private static Times ofMillis(long warming, long before, long control, long meanwhile) {
            return new Times(
                    Duration.ofMillis(warming),
                    Duration.ofMillis(before),
                    Duration.ofMillis(control),
                    Duration.ofMillis(meanwhile));
        }
    }

    private final Attack attack;
    private final boolean flood;
    private final Times times;
    private final Map<Service, String> extra;
    private final List<Expected> expected;

    private HostileDrill(
            Attack attack,
            boolean flood,
            Times times,
            Map<Service, String> extra,
            List<Expected> expected) {
        this.attack = attack;
        this.flood = flood;
        this.times = times;
        this.extra = extra;
        this.expected = expected;
    }

    /** An attack by datagrams that nobody may answer. */
    static HostileDrill flood(Attack attack) {
        return new HostileDrill(attack, true, Times.USUAL, Map.of(), List.of());
    }

    /** An attack by somebody who has a right to answers, such as a caller. */
    static HostileDrill answered(Attack attack) {
        return new HostileDrill(attack, false, Times.USUAL, Map.of(), List.of());
    }

    /** Where nearly all of it must be counted: the sum of what is given here. */
    HostileDrill counted(Service service, String regex) {
        List<Expected> more = new ArrayList<>(expected);
        more.add(Expected.of(service, regex));
        return new HostileDrill(attack, flood, times, extra, List.copyOf(more));
    }

    /** The same with more lines in a service's config. */
    HostileDrill with(Service service, String yaml) {
        Map<Service, String> more = new EnumMap<>(Service.class);
        more.putAll(extra);
        more.merge(service, yaml, String::concat);
        return new HostileDrill(attack, flood, times, more, expected);
    }

    /** The same for seconds only. */
    HostileDrill quick() {
        return new HostileDrill(attack, flood, Times.QUICK, extra, expected);
    }

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        try (HostileSystem system = HostileSystem.start(folder, "", extra)) {
            run(system, report);
        }
    }

    /** Attacks a system that is there already. */
    void run(HostileSystem system, DrillReport report) throws Exception {
        try (Talkers talkers = new Talkers(system.base(), CALLS);
                AttackSockets sockets = new AttackSockets()) {
            Target target =
                    new Target(
                            system.base(),
                            system.relay(),
                            system.relayUpstream(),
                            talkers.any(),
                            sockets,
                            new LongAdder());
            var _ = talkers.during(() -> pause(times.warming()));
            Talkers.Heard before = talkers.during(() -> pause(times.before()));
            tellCalls("before", before, report);
            if (flood) {
                tellCalls("control", control(talkers, target), report);
            }
            meanwhile(system, talkers, target, before, report);
            report.atMost("calls broken", talkers.broken(), "", 0);
            report.tell("a new caller hears itself after", newCaller(system), "ms");
        }
    }

    private boolean isQuick() {
        return times.equals(Times.QUICK);
    }

    private Talkers.Heard control(Talkers talkers, Target target) throws Exception {
        try (DatagramSocket nobody = new DatagramSocket(0, target.relay().getAddress())) {
            Target dead = target.at((InetSocketAddress) nobody.getLocalSocketAddress());
            return talkers.during(() -> attack(dead, times.control()));
        }
    }

    private void meanwhile(
            HostileSystem system,
            Talkers talkers,
            Target target,
            Talkers.Heard before,
            DrillReport report)
            throws Exception {
        Counts counts = Counts.now(system);
        // Asking collects the garbage, which takes its time.
        Map<Service, Double> heaps = isQuick() ? Map.of() : heaps(system);
        Map<Service, ServiceWatch.Held> held = ServiceWatch.look(system);
        Arrivals arrivals = new Arrivals(target, system.mediaPorts());
        Talkers.Heard meanwhile;
        Map<Service, ServiceWatch.Held> most;
        try (ServiceWatch watch = ServiceWatch.start(system)) {
            meanwhile = talkers.during(() -> attack(target, times.meanwhile()));
            most = watch.most();
        }
        pause(SETTLING);
        judgeCalls(before, meanwhile, report);
        Counts more = Counts.now(system).since(counts);
        arrivals.judge(more, expected, meanwhile.seconds(), report);
        attack.kinds().forEach(kind -> Arrivals.judge(more, kind, report));
        if (flood) {
            report.atMost("bytes that came back", target.sockets().receivedBytes(), "", 0);
        } else {
            report.tell("bytes that came back", target.sockets().receivedBytes(), "");
        }
        more.forEachTelling((name, count) -> report.tell(name, count, ""));
        judgeHeld(held, most, ServiceWatch.look(system), report);
        if (!isQuick()) {
            judgeHeaps(heaps, heaps(system), report);
        }
    }

    private static void tellCalls(String when, Talkers.Heard heard, DrillReport report) {
        report.tell("round trip " + when + ", p50", heard.millis(50), "ms");
        report.tell("round trip " + when + ", p99", heard.millis(99), "ms");
        report.tell("round trip " + when + ", longest", heard.millis(100), "ms");
        report.tell("packets lost " + when, heard.lossPercent(), "%");
        report.tell("packets spoken " + when, heard.spokenPerSecond(), "/s");
    }

    private static void judgeCalls(
            Talkers.Heard before, Talkers.Heard meanwhile, DrillReport report) {
        report.tell("round trip meanwhile, p50", meanwhile.millis(50), "ms");
        report.within(
                "round trip meanwhile, p99",
                meanwhile.millis(99),
                "ms",
                before.millis(99) + MAX_DELAY_MILLIS);
        report.tell("round trip meanwhile, longest", meanwhile.millis(100), "ms");
        report.within("packets lost meanwhile", meanwhile.lossPercent(), "%", MAX_LOSS_PERCENT);
        report.tell("packets spoken meanwhile", meanwhile.spokenPerSecond(), "/s");
        report.notBelow(
                "packets spoken meanwhile, of those before",
                100 * meanwhile.spokenPerSecond() / before.spokenPerSecond(),
                "%",
                MIN_SPOKEN_PERCENT);
    }

    private void attack(Target target, Duration time) throws Exception {
        AtomicReference<Optional<Exception>> failure = new AtomicReference<>(Optional.empty());
        long end = System.nanoTime() + time.toNanos();
        Thread thread =
                Thread.ofPlatform()
                        .name("attack")
                        .start(
                                () -> {
                                    try {
                                        attack.run(target, () -> end - System.nanoTime() > 0);
                                    } catch (Exception e) {
                                        failure.set(Optional.of(e));
                                    }
                                });
        thread.join();
        if (failure.get().isPresent()) {
            throw failure.get().get();
        }
    }

    static void pause(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }

    private static Map<Service, Double> heaps(HostileSystem system) throws IOException {
        Map<Service, Double> heaps = new EnumMap<>(Service.class);
        for (Service service : Service.values()) {
            heaps.put(service, system.heapMib(service));
        }
        return heaps;
    }

    private static void judgeHeaps(
            Map<Service, Double> before, Map<Service, Double> after, DrillReport report) {
        after.forEach(
                (service, mib) -> {
                    report.tell(service.command() + ": live heap", mib, "MiB");
                    report.atMost(
                            service.command() + ": live heap grew by",
                            mib - before.getOrDefault(service, 0.0),
                            "MiB",
                            MAX_GROWTH_MIB);
                });
    }

    private static void judgeHeld(
            Map<Service, ServiceWatch.Held> before,
            Map<Service, ServiceWatch.Held> most,
            Map<Service, ServiceWatch.Held> after,
            DrillReport report) {
        for (Service service : Service.values()) {
            ServiceWatch.Held was = held(before, service);
            ServiceWatch.Held peak = held(most, service);
            String name = service.command() + ": ";
            report.tell(name + "resident before", was.residentMib(), "MiB");
            report.tell(name + "resident meanwhile, most", peak.residentMib(), "MiB");
            report.tell(name + "threads before", was.threads(), "");
            report.atMost(
                    name + "threads meanwhile, most",
                    peak.threads(),
                    "",
                    was.threads() + MAX_MORE_THREADS);
            report.tell(name + "descriptors before", was.descriptors(), "");
            report.tell(name + "descriptors meanwhile, most", peak.descriptors(), "");
            report.atMost(
                    name + "descriptors afterwards",
                    held(after, service).descriptors(),
                    "",
                    was.descriptors() + MAX_MORE_DESCRIPTORS);
        }
    }

    private static ServiceWatch.Held held(Map<Service, ServiceWatch.Held> by, Service service) {
        return by.getOrDefault(service, new ServiceWatch.Held(0, 0, 0));
    }

    /** From the offer to the first audio, for somebody who calls when it is over. */
    private static double newCaller(HostileSystem system) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (BenchCall call = new BenchCall()) {
            call.connect(system.base(), "echo", false, start + PATIENCE.toNanos());
            return (System.nanoTime() - start) / 1e6;
        }
    }
}
