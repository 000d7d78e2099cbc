package dev.parley.bench.relay;

import dev.parley.runtime.udp.IpAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Starts a relay under load and sees how long it takes to forward its first datagram, and whether
 * it loses any in the second after that. The load is checks only, so that each can be routed.
 */
final class StartUp {
    private static final int ROUND_TRIPS_PER_SECOND = 25_000;
    private static final int FLOWS = 1_000;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** Where {@code ./parley} is; it tells the bench. */
    private static final String COMMAND_VARIABLE = "PARLEY_COMMAND";

    private final LoadGenerator load;
    private final int core;

    StartUp(LoadGenerator load, int core) {
        this.load = load;
        this.core = core;
    }

    /**
     * What was seen.
     *
     * @param hasCache whether the JVM found its start-up cache
     * @param startMillis from the start of {@code ./parley relay} to its first datagram
     * @param sent datagrams sent in the second after that
     * @param lost how many of them never came back
     */
    record Figures(boolean hasCache, double startMillis, long sent, long lost) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "start-up %s cache under %,d packets/s: first packet forwarded after %,.0f ms;"
                            + " of %,d round trips in the second after that %,d lost",
                    hasCache ? "with its" : "without",
                    2 * ROUND_TRIPS_PER_SECOND,
                    startMillis,
                    sent,
                    lost);
        }
    }

    /** Starts it so many times with and without its cache; none where the command is not known. */
    List<Figures> measure(int rounds) throws IOException {
        List<Figures> all = new ArrayList<>();
        String command = System.getenv(COMMAND_VARIABLE);
        for (int i = 0; command != null && i < rounds; i++) {
            all.add(once(command, true));
            all.add(once(command, false));
        }
        return all;
    }

    private Figures once(String command, boolean cache) throws IOException {
        InetSocketAddress relay = BenchRun.freeAddress();
        String address = IpAddress.text(relay);
        String file =
                RelayFile.write(
                                Map.of(
                                        "public_addresses", address,
                                        "upstream_address", "127.0.0.1:0",
                                        "workers", "1"))
                        .toString();
        List<String> words =
                List.of(
                        "env",
                        "PARLEY_START_CACHE=" + (cache ? "on" : "off"),
                        command,
                        "relay",
                        "--config",
                        file);
        Contestant contestant = new Contestant("./parley relay", words, false, FLOWS);
        load.target(relay);
        long start = System.nanoTime();
        try (RelayProcess _ =
                RelayProcess.launch(
                        contestant, address, IpAddress.text(load.sinkAddress()), core)) {
            long first = load.checksUntilFirstEcho(ROUND_TRIPS_PER_SECOND, FLOWS, PATIENCE_NANOS);
            LoadFigures second =
                    load.checks(ROUND_TRIPS_PER_SECOND, FLOWS, TimeUnit.SECONDS.toNanos(1));
            return new Figures(
                    cache, (first - start) / 1e6, second.sent(), second.sent() - second.received());
        }
    }
}
