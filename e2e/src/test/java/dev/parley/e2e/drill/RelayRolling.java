package dev.parley.e2e.drill;

import dev.parley.e2e.ChildProcess;
import dev.parley.e2e.client.LibwebrtcCaller;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A new relay is started next to the old one, which is then told to stop, again and again, while
 * packets flow and a call goes on; then of three that follow one another the one in the middle is
 * killed: nothing may be lost. At last a relay that has just taken over is killed, and the one
 * before it takes up again with what was in the killed one's hands lost.
 *
 * @param packetsPerSecond upward; as many come back
 * @param rounds how often
 */
record RelayRolling(int packetsPerSecond, int rounds) implements Drill {
    private static final int FLOWS = 100;
    private static final long SETTLE_MILLIS = 1_000;

    /** What comes in 10 ms: that of a turn, and what waits in the relay that was killed. */
    private static final double BOUND_KILLED_SECONDS = 0.01;

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        try (RelaySystem system = RelaySystem.start(folder, "");
                SyntheticFlows flows = new SyntheticFlows(system.relayAddress(), FLOWS, 0);
                LibwebrtcCaller caller = LibwebrtcCaller.call(system.base(), "echo")) {
            caller.awaitConnected(Duration.ofSeconds(15));
            flows.establish();
            RelaySystem.Upward before = system.upward(caller.location());
            long start = System.nanoTime();
            flows.start(packetsPerSecond);
            Thread.sleep(SETTLE_MILLIS);
            for (int round = 1; round <= rounds; round++) {
                ChildProcess old = system.relay();
                long began = System.nanoTime();
                var _ = system.startRelay().awaitReady();
                report.tell("round " + round + ": new relay ready", millis(began), "ms");
                Thread.sleep(SETTLE_MILLIS);
                began = System.nanoTime();
                old.terminate();
                report.require(
                        "round " + round + ": the old one exits with 0", old.awaitExit() == 0);
                report.tell("round " + round + ": the old one gone", millis(began), "ms");
                Thread.sleep(SETTLE_MILLIS);
            }
            killTheMiddleOne(system, report);
            double seconds = (System.nanoTime() - start) / 1e9;
            flows.finish();
            report.tell("packets sent, both ways", flows.sent(), "");
            report.atLeast(
                    "packets a second, upward",
                    (double) flows.sent() / 2 / seconds,
                    "",
                    0.95 * packetsPerSecond);
            report.atMost("packets lost on the way up", flows.lostUp(), "", 0);
            report.atMost("packets lost on the way down", flows.lostDown(), "", 0);
            report.atMost(
                    "packets of the call lost, up",
                    system.upward(caller.location()).lostSince(before),
                    "",
                    0);
            report.atMost("packets of the call lost, down", caller.stats().packetsLost(), "", 0);
            killTheLastOne(system, report);
            report.require("the call ends like any other", caller.hangUp() == 200);
        }
    }

    private static void killTheMiddleOne(RelaySystem system, DrillReport report) throws Exception {
        ChildProcess first = system.relay();
        ChildProcess middle = system.startRelay();
        var _ = middle.awaitReady();
        var _ = system.startRelay().awaitReady();
        Thread.sleep(SETTLE_MILLIS);
        middle.kill();
        var _ = middle.awaitExit();
        Thread.sleep(SETTLE_MILLIS);
        first.terminate();
        report.require("three at once: the first exits with 0", first.awaitExit() == 0);
        Thread.sleep(SETTLE_MILLIS);
    }

    private void killTheLastOne(RelaySystem system, DrillReport report) throws Exception {
        try (SyntheticFlows flows = new SyntheticFlows(system.relayAddress(), FLOWS, 0)) {
            flows.establish();
            flows.start(packetsPerSecond);
            ChildProcess last = system.startRelay();
            var _ = last.awaitReady();
            Thread.sleep(SETTLE_MILLIS);
            last.kill();
            var _ = last.awaitExit();
            Thread.sleep(SETTLE_MILLIS);
            flows.finish();
            report.atMost(
                    "successor killed: packets lost",
                    (double) flows.lostUp() + flows.lostDown(),
                    "",
                    2 * packetsPerSecond * BOUND_KILLED_SECONDS);
        }
    }

    private static double millis(long since) {
        return (System.nanoTime() - since) / 1e6;
    }
}
