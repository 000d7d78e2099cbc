package dev.parley.bench.relay;

import dev.parley.runtime.udp.IpAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Starts a relay under load and sees how long it takes to forward its first datagram, and whether
 * it loses any in the second after that. The load is checks only, so that each can be routed.
 */
final class StartUp {
    private static final int ROUND_TRIPS_PER_SECOND = 25_000;
    private static final int FLOWS = 1_000;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final LoadGenerator load;
    private final Contestant contestant;
    private final int core;

    StartUp(LoadGenerator load, Contestant contestant, int core) {
        this.load = load;
        this.contestant = contestant;
        this.core = core;
    }

    /**
     * What was seen.
     *
     * @param startMillis from the start of the process to its first datagram
     * @param sent datagrams sent in the second after that
     * @param lost how many of them never came back
     */
    record Figures(double startMillis, long sent, long lost) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "start-up under %,d packets/s: first packet forwarded %.0f ms after the process"
                            + " was started; of %,d round trips in the second after that %,d lost",
                    2 * ROUND_TRIPS_PER_SECOND,
                    startMillis,
                    sent,
                    lost);
        }
    }

    Figures measure() throws IOException {
        InetSocketAddress relay = BenchRun.freeAddress();
        load.target(relay);
        long start = System.nanoTime();
        try (RelayProcess _ =
                RelayProcess.launch(
                        contestant,
                        IpAddress.text(relay),
                        IpAddress.text(load.sinkAddress()),
                        core)) {
            long first = load.checksUntilFirstEcho(ROUND_TRIPS_PER_SECOND, FLOWS, PATIENCE_NANOS);
            LoadFigures second =
                    load.checks(ROUND_TRIPS_PER_SECOND, FLOWS, TimeUnit.SECONDS.toNanos(1));
            return new Figures(
                    (first - start) / 1e6, second.sent(), second.sent() - second.received());
        }
    }
}
