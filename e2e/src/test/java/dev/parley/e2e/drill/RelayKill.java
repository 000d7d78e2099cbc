package dev.parley.e2e.drill;

import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.client.Wav;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * {@code kill -9} of the relay in the middle of a call, and a new one at the same address: how long
 * the call is silent, and what part of it is the process's start.
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

    /** One packet each way, RFC 7587's usual 20 ms each. */
    private static final double ONE_PACKET = 40;

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

    /** The same where other things happen on the machine, so that times mean little. */
    RelayKill unhurried() {
        return new RelayKill(what, options, redis, Double.MAX_VALUE, rounds);
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
        try (LibwebrtcCaller caller = LibwebrtcCaller.call(system.base(), "echo")) {
            caller.awaitConnected(CONNECT_TIMEOUT);
            for (int round = 1; round <= rounds; round++) {
                // Long enough for the flow to be stored, and for checks to come at their own time.
                caller.listen(Duration.ofMillis(1_500 + 700L * round));
                kill(system, caller, rounds == 1 ? what : what + ", round " + round, report);
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

    private void kill(RelaySystem system, LibwebrtcCaller caller, String name, DrillReport report)
            throws IOException, InterruptedException {
        long killed = System.nanoTime();
        system.relay().kill();
        var _ = system.relay().awaitExit();
        long received = system.packetsReceived(caller.location());
        CompletableFuture<Long> next = system.nextPacket(caller.location(), received);
        var _ = system.startRelay();
        long bound = system.awaitBound();
        long up = next.join();
        long down = awaitDown(system, bound);
        report.tell(
                name + ": silent in all", millis(system.tap().lastDownBefore(killed), down), "ms");
        report.tell(name + ": process start", millis(killed, bound), "ms");
        report.atMost(name + ": recovery, up", millis(bound, up), "ms", boundMillis);
        report.atMost(name + ": recovery, down", millis(bound, down), "ms", boundMillis);
    }

    private static long awaitDown(RelaySystem system, long after) throws InterruptedException {
        long down = system.tap().firstDownAfter(after);
        while (down == Long.MAX_VALUE) {
            Thread.sleep(1);
            down = system.tap().firstDownAfter(after);
        }
        return down;
    }

    private static double millis(long from, long to) {
        return (to - from) / 1e6;
    }
}
