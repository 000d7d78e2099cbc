package dev.parley.e2e.hostile;

import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.hostile.Counts.Expected;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * How much of an attack arrived, and whether the services counted it: an attack that never comes to
 * anybody shows nothing. Owned by the drill; begins with the attack.
 */
final class Arrivals {
    private static final double MIN_COUNTED_PERCENT = 95;

    private final Target target;
    private final Set<Integer> ports;
    private final long sentBefore;
    private final long unsentBefore;
    private final long droppedBefore;

    /**
     * @param ports on which the services receive
     */
    Arrivals(Target target, Set<Integer> ports) throws IOException {
        this.target = target;
        this.ports = ports;
        this.sentBefore = target.sent();
        this.unsentBefore = target.sockets().unsent();
        this.droppedBefore = KernelDrops.of(ports);
    }

    /**
     * Ends with the attack.
     *
     * @param more what was counted meanwhile
     * @param expected whose sum must be nearly all that arrived; empty where that is not known
     */
    void judge(Counts more, List<Expected> expected, double seconds, DrillReport report)
            throws IOException {
        long sent = target.sent() - sentBefore;
        long dropped = KernelDrops.of(ports) - droppedBefore;
        double arrived = (double) (sent - dropped);
        report.tell("attack, sent", sent, "");
        report.tell("attack, sent a second", sent / seconds, "/s");
        report.tell("attack, did not leave", target.sockets().unsent() - unsentBefore, "");
        report.tell("attack, dropped by the kernel", dropped, "");
        if (!expected.isEmpty()) {
            double counted = more.sum(expected);
            report.atLeast("attack, arrived", arrived, "", 1);
            report.tell("attack, counted", counted, "");
            report.atLeast(
                    "attack, counted of what arrived",
                    100 * counted / Math.max(1, arrived),
                    "%",
                    MIN_COUNTED_PERCENT);
        }
    }

    /** The same of one kind of an attack. */
    static void judge(Counts more, Attack.Kind kind, DrillReport report) {
        double counted = more.sum(List.of(kind.expected()));
        report.atLeast(kind.name() + ", done", (double) kind.done(), "", 1);
        report.atLeast(
                kind.name() + ", counted of what was done",
                100 * counted / Math.max(1, kind.done()),
                "%",
                MIN_COUNTED_PERCENT);
    }
}
