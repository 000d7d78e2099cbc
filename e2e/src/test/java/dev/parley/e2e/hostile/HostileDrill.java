package dev.parley.e2e.hostile;

import dev.parley.bench.signaling.BenchCall;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.hostile.HostileSystem.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Calls go on, somebody attacks, and the calls must not notice: their round trips and losses before
 * and meanwhile, what the services counted and what they hold, and what came back to the addresses
 * that the attack was sent from.
 */
final class HostileDrill implements Drill {
    private static final int CALLS = 10;
    private static final Duration BEFORE = Duration.ofSeconds(8);
    private static final Duration MEANWHILE = Duration.ofSeconds(15);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Packets that a call may have lost, of a thousand. */
    private static final double MAX_LOSS_PERCENT = 0.1;

    /** How much later audio may come: less than anybody hears. */
    private static final double MAX_DELAY_MILLIS = 40;

    private static final double MAX_GROWTH_MIB = 32;

    private final Attack attack;
    private final boolean answered;
    private final Map<Service, String> extra;

    private HostileDrill(Attack attack, boolean answered, Map<Service, String> extra) {
        this.attack = attack;
        this.answered = answered;
        this.extra = extra;
    }

    /** An attack that nobody may answer. */
    static HostileDrill unanswered(Attack attack) {
        return new HostileDrill(attack, false, Map.of());
    }

    /** An attack by somebody who is a caller as well, and so has a right to answers. */
    static HostileDrill byACaller(Attack attack) {
        return new HostileDrill(attack, true, Map.of());
    }

    /** The same with more lines in services' configs. */
    HostileDrill with(Service service, String yaml) {
        Map<Service, String> more = new EnumMap<>(Service.class);
        more.putAll(extra);
        more.put(service, yaml);
        return new HostileDrill(attack, answered, more);
    }

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        try (HostileSystem system = HostileSystem.start(folder, "", extra)) {
            run(system, attack, answered, report);
        }
    }

    /** Attacks a system that is there already. */
    static void run(HostileSystem system, Attack attack, boolean answered, DrillReport report)
            throws Exception {
        try (Talkers talkers = new Talkers(system.base(), CALLS);
                AttackSockets sockets = new AttackSockets()) {
            // What was never run is compiled first.
            var _ = talkers.during(() -> pause(BEFORE));
            Talkers.Heard before = talkers.during(() -> pause(BEFORE));
            Map<Service, Map<String, Double>> counts = counts(system);
            Map<Service, Double> heaps = heaps(system);
            Target target =
                    new Target(
                            system.base(),
                            system.relay(),
                            system.relayUpstream(),
                            talkers.any(),
                            sockets);
            Talkers.Heard meanwhile = talkers.during(() -> attack(attack, target));
            report.tell("round trip before, p50", before.millis(50), "ms");
            report.tell("round trip before, p99", before.millis(99), "ms");
            report.tell("round trip meanwhile, p50", meanwhile.millis(50), "ms");
            report.atMost(
                    "round trip meanwhile, p99",
                    meanwhile.millis(99),
                    "ms",
                    before.millis(99) + MAX_DELAY_MILLIS);
            report.tell("round trip meanwhile, longest", meanwhile.millis(100), "ms");
            report.tell("packets lost before", before.lost(), "");
            report.atMost("packets lost meanwhile", meanwhile.lossPercent(), "%", MAX_LOSS_PERCENT);
            report.atMost("calls broken", talkers.broken(), "", 0);
            report.tell("datagrams of the attack", sockets.sent(), "");
            report.tell("datagrams that did not leave", sockets.unsent(), "");
            if (answered) {
                report.tell("bytes that came back", sockets.receivedBytes(), "");
            } else {
                report.atMost("bytes that came back", sockets.receivedBytes(), "", 0);
            }
            tellCounts(counts, counts(system), report);
            tellHeaps(heaps, heaps(system), report);
            report.tell("a new caller hears itself after", newCaller(system), "ms");
        }
    }

    private static void attack(Attack attack, Target target) throws Exception {
        AtomicReference<Optional<Exception>> failure = new AtomicReference<>(Optional.empty());
        long end = System.nanoTime() + MEANWHILE.toNanos();
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

    private static Map<Service, Map<String, Double>> counts(HostileSystem system)
            throws IOException, InterruptedException {
        Map<Service, Map<String, Double>> counts = new EnumMap<>(Service.class);
        for (Service service : Service.values()) {
            counts.put(service, system.counts(service));
        }
        return counts;
    }

    private static Map<Service, Double> heaps(HostileSystem system) throws IOException {
        Map<Service, Double> heaps = new EnumMap<>(Service.class);
        for (Service service : Service.values()) {
            heaps.put(service, system.heapMib(service));
        }
        return heaps;
    }

    // What calls that go on make all services count is of no interest here.
    private static void tellCounts(
            Map<Service, Map<String, Double>> before,
            Map<Service, Map<String, Double>> after,
            DrillReport report) {
        after.forEach(
                (service, counts) ->
                        counts.forEach(
                                (name, count) -> {
                                    double more =
                                            count
                                                    - before.getOrDefault(service, Map.of())
                                                            .getOrDefault(name, 0.0);
                                    if (more > 0 && isTelling(name)) {
                                        report.tell(service.command() + ": " + name, more, "");
                                    }
                                }));
    }

    private static boolean isTelling(String name) {
        return name.matches(
                "parley.*(drops|refus|errors|ended|closed|checks|holds|failures|forwards).*");
    }

    private static void tellHeaps(
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

    /** From the offer to the first audio, for somebody who calls when it is over. */
    private static double newCaller(HostileSystem system) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (BenchCall call = new BenchCall()) {
            call.connect(system.base(), "echo", false, start + PATIENCE.toNanos());
            return (System.nanoTime() - start) / 1e6;
        }
    }
}
