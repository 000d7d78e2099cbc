package dev.parley.e2e.drill;

import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.client.Wav;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * {@code kill -9} of the relay in the middle of a call, and a new one at the same address: how long
 * the call is silent, and what part of it is the process's start. Beside the call there are {@link
 * SteadyFlows}, which tell the time of each packet at both ends.
 *
 * @param what takes the flow up again, for people
 * @param options further lines of the relay's config
 * @param redis whether there is a Redis
 * @param boundMillis how long taking up may last once the socket is bound
 * @param rounds how often
 */
record RelayKill(String what, String options, boolean redis, double boundMillis, int rounds)
        implements Drill {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);
    private static final String NO_DOWNSTREAM = "recoveries_per_second: 0\n";
    private static final long SETTLE_MILLIS = 300;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final double PACKET_MILLIS = 20;

    /** One packet each way, RFC 7587's usual 20 ms each. */
    private static final double ONE_PACKET = 2 * PACKET_MILLIS;

    /** Between two checks of libwebrtc on a pair that works, and some of its randomness. */
    private static final double ONE_CHECK = 3_000;

    static RelayKill withRedisAndDownstream(int rounds) {
        return new RelayKill("Redis or downstream audio", "", true, ONE_PACKET, rounds);
    }

    static RelayKill withRedis(int rounds) {
        return new RelayKill("Redis alone", NO_DOWNSTREAM, true, ONE_PACKET, rounds);
    }

    static RelayKill withDownstream(int rounds) {
        return new RelayKill("downstream audio", "", false, ONE_PACKET, rounds);
    }

    static RelayKill withChecks(int rounds) {
        return new RelayKill("STUN checks", NO_DOWNSTREAM, false, ONE_CHECK, rounds);
    }

    private boolean withDownstream() {
        return options.isEmpty();
    }

    private boolean withChecksAlone() {
        return !redis && !withDownstream();
    }

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        if (!redis) {
            try (RelaySystem system = RelaySystem.start(folder, options)) {
                run(system, report);
            }
            return;
        }
        try (RedisProcess server = RedisProcess.start(folder);
                RelaySystem system = RelaySystem.start(folder, options + server.relayOptions())) {
            run(system, report);
        }
    }

    private void run(RelaySystem system, DrillReport report)
            throws IOException, InterruptedException {
        try (LibwebrtcCaller caller = LibwebrtcCaller.call(system.base(), "echo");
                SteadyFlows flows = new SteadyFlows(system.relayAddress())) {
            caller.awaitConnected(CONNECT_TIMEOUT);
            for (int round = 1; round <= rounds; round++) {
                // Long enough for the flow to be stored, and for checks to come at their own time.
                caller.listen(Duration.ofMillis(1_500 + 700L * round));
                String name = rounds == 1 ? what : what + ", round " + round;
                kill(system, caller, flows, name + ": ", report);
            }
            caller.listen(Duration.ofSeconds(1));
            Wav words = SpeechSample.caller();
            caller.say(words).join();
            caller.listen(Duration.ofSeconds(1));
            Correlation.Match match = Correlation.of(words, caller.heard());
            report.atLeast(
                    what + ": the caller's words come back, score",
                    match.score(),
                    "",
                    Correlation.SAME_SPEECH);
            report.require(what + ": the call ends like any other", caller.hangUp() == 200);
        }
    }

    private void kill(
            RelaySystem system,
            LibwebrtcCaller caller,
            SteadyFlows flows,
            String name,
            DrillReport report)
            throws IOException, InterruptedException {
        MediaTimes down = system.tap().down();
        MediaTimes up = system.tap().up();
        long killed = System.nanoTime();
        system.relay().kill();
        var _ = system.relay().awaitExit();
        long received = system.packetsReceived(caller.location());
        var _ = system.startRelay();
        long bound = system.awaitBound();
        long back = awaitFirst(down, bound);
        Thread.sleep(SETTLE_MILLIS);
        long settled = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(SETTLE_MILLIS / 2);
        RelaySystem.Upward after = system.upward(caller.location());
        report.tell(name + "silent in all", millis(down.lastBefore(killed), back), "ms");
        report.tell(name + "process start", millis(killed, bound), "ms");
        report.tell(name + "call, down again after", millis(bound, back), "ms");
        // Without its transceiver's word a packet down waits for the client's next one up: for one
        // packet each way.
        long due = withDownstream() || withChecksAlone() ? bound : up.firstAfter(bound);
        report.within(
                name + "call, down" + (due == bound ? "" : " after its next packet up"),
                millis(due, back),
                boundMillis);
        long lost = up.countAfter(bound, after.sent()) - (after.received() - received);
        if (withChecksAlone()) {
            report.tell(name + "call, packets up lost once bound", lost, "");
        } else {
            report.within(name + "call, packets up lost once bound", lost, packets());
        }
        if (!withChecksAlone()) {
            flows(
                    flows,
                    bound,
                    settled,
                    name + "slowest of " + SteadyFlows.CLIENTS + " flows, ",
                    report);
        }
    }

    /** Packets of a client in the time that taking up may last. */
    private long packets() {
        return Math.round(boundMillis / PACKET_MILLIS);
    }

    private void flows(
            SteadyFlows flows, long bound, long settled, String name, DrillReport report) {
        report.within(name + "up again after", flows.slowestUpMillis(bound), boundMillis);
        report.tell(name + "down again after", flows.slowestDownMillis(bound), "ms");
        if (withDownstream()) {
            report.within(name + "down", flows.slowestDownMillis(bound), boundMillis);
        } else {
            report.within(
                    name + "down after their next packet up",
                    flows.slowestAnswerMillis(bound),
                    boundMillis);
        }
        report.within(
                name + "packets up lost once bound", flows.mostLostUp(bound, settled), packets());
        report.within(
                name + "packets down lost once bound",
                flows.mostLostDown(bound, settled),
                packets());
    }

    private static long awaitFirst(MediaTimes times, long after) throws InterruptedException {
        long first = times.firstAfter(after);
        while (first == Long.MAX_VALUE && System.nanoTime() - after < PATIENCE_NANOS) {
            Thread.sleep(1);
            first = times.firstAfter(after);
        }
        return first;
    }

    private static double millis(long from, long to) {
        return (to - from) / 1e6;
    }
}
