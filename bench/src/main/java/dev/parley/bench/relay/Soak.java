package dev.parley.bench.relay;

import dev.parley.runtime.udp.IpAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Minutes of changing load on the batched relay: it must lose nothing, allocate nothing per packet
 * and not grow.
 */
final class Soak {
    private static final int FLOWS = 20_000;
    private static final int[] RATES = {5_000, 40_000, 15_000, 60_000, 25_000};
    private static final int[] SIZES = {60, 172, 1_200};
    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final double WORST_LOSS = 0.001;
    private static final double MOST_GROWTH_MIB = 16;
    private static final double MOST_BYTES_PER_PACKET = 1;

    private final LoadGenerator load;
    private final int core;
    private final int seconds;

    Soak(LoadGenerator load, int core, int seconds) {
        this.load = load;
        this.core = core;
        this.seconds = seconds;
    }

    /** Prints a line per step; answers whether all was well. */
    boolean run() throws IOException {
        Contestant contestant = Contestant.ours("batched", "native");
        InetSocketAddress relay = BenchRun.freeAddress();
        try (RelayProcess process =
                RelayProcess.launch(
                        contestant,
                        IpAddress.text(relay),
                        IpAddress.text(load.sinkAddress()),
                        core)) {
            process.awaitReady();
            load.target(relay);
            load.open(FLOWS);
            var _ = load.pace(RATES[0], FLOWS, SIZES[0], STEP_NANOS);
            return steps(process);
        }
    }

    private boolean steps(RelayProcess process) throws IOException {
        double firstMib = process.residentMib();
        double firstBytes = process.allocatedBytes();
        long packets = 0;
        long lost = 0;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (int step = 0; System.nanoTime() - end < 0; step++) {
            int rate = RATES[step % RATES.length];
            int size = SIZES[step % SIZES.length];
            LoadFigures figures = load.pace(rate, FLOWS, size, STEP_NANOS);
            packets += figures.sent() + figures.received();
            lost += figures.sent() - figures.received();
            System.out.printf(
                    Locale.ROOT,
                    "%,7d round trips/s of %,5d bytes: lost %d of %,d, resident %.1f MiB%n",
                    rate,
                    size,
                    figures.sent() - figures.received(),
                    figures.sent(),
                    process.residentMib());
        }
        double growth = process.residentMib() - firstMib;
        double perPacket = (process.allocatedBytes() - firstBytes) / packets;
        boolean well =
                lost <= packets * WORST_LOSS
                        && growth <= MOST_GROWTH_MIB
                        && perPacket <= MOST_BYTES_PER_PACKET;
        System.out.printf(
                Locale.ROOT,
                "%s: %,d packets, %,d lost, grown by %.1f MiB, %.4f bytes allocated per packet%n",
                well ? "well" : "NOT WELL",
                packets,
                lost,
                growth,
                perPacket);
        return well;
    }
}
