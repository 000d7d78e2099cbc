package dev.parley.bench.relay;

import dev.parley.runtime.udp.CoreAffinity;
import dev.parley.runtime.udp.IpAddress;
import dev.parley.runtime.udp.LinuxUdpPoller;
import dev.parley.runtime.udp.UdpPoller;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures the contestants in turn, in short windows, load by load and round by round, so that
 * whatever else the machine does meets all of them alike. All of them are alive all the time, on
 * one core; those whose turn it is not have nothing to do. The load has another core.
 */
public final class BenchRun {
    private static final int LOAD_CORE = 0;
    private static final int WARM_UP_RATE = 25_000;
    private static final int WINDOW = 512;

    /** Forwarded datagrams a second are twice these. */
    private static final int[] RATES = {10_000, 25_000, 50_000};

    private static final int MIDDLE_RATE = 25_000;
    private static final int VOICE_BYTES = 172;
    private static final int[] OTHER_SIZES = {60, 200, 1_200};
    private static final int FLOWS = 1_000;
    private static final int[] OTHER_FLOWS = {100, 10_000, 100_000};

    private final BenchOptions options;
    private final LoadGenerator load = new LoadGenerator();
    private final List<Row> rows = new ArrayList<>();

    private BenchRun(BenchOptions options) {
        this.options = options;
    }

    /** The bench's command line; answers the exit code. */
    public static int run(String[] arguments) throws IOException {
        BenchOptions options;
        try {
            options = BenchOptions.parse(arguments, System.getenv());
        } catch (IllegalArgumentException e) {
            System.err.println("bench relay: " + e.getMessage() + "\n" + BenchOptions.USAGE);
            return 2;
        }
        if (!LinuxUdpPoller.isSupported()) {
            System.err.println("bench relay: needs Linux on x86_64 or aarch64");
            return 2;
        }
        CoreAffinity affinity = relayCore() < 0 ? null : CoreAffinity.pin(LOAD_CORE);
        BenchRun bench = new BenchRun(options);
        try {
            if (options.soakSeconds() > 0) {
                return new Soak(bench.load, relayCore(), options.soakSeconds()).run() ? 0 : 1;
            }
            bench.compare();
            return 0;
        } finally {
            bench.load.close();
            if (affinity != null) {
                affinity.close();
            }
        }
    }

    /** The contestants' core, or -1 where there is only one for all. */
    static int relayCore() {
        return CORES > 1 ? CORES - 1 : -1;
    }

    // Asked once, before any pinning.
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    /** A contestant that forwards. */
    private record Running(Contestant contestant, RelayProcess process, InetSocketAddress address) {
        boolean canTake(int flows) {
            return flows <= contestant.maxFlows();
        }
    }

    private void compare() throws IOException {
        List<Contestant> contestants = new ArrayList<>();
        contestants.add(Contestant.ours("batched", "native"));
        contestants.add(Contestant.ours("portable", "portable"));
        contestants.addAll(References.build(options.referenceSource()));
        contestants.addAll(options.others());
        List<Running> running = new ArrayList<>();
        try {
            for (Contestant contestant : contestants) {
                running.add(launch(contestant));
            }
            for (Running each : running) {
                warmUp(each);
            }
            measureAll(running);
        } finally {
            running.forEach(each -> each.process().close());
        }
        List<Row> medians = Report.medians(rows);
        System.out.println(Report.table(medians));
        System.out.println(new StartUp(load, contestants.getFirst(), relayCore()).measure());
        if (options.json() != null) {
            Files.writeString(options.json(), Report.json(medians));
        }
    }

    private Running launch(Contestant contestant) throws IOException {
        InetSocketAddress address = freeAddress();
        RelayProcess process =
                RelayProcess.launch(
                        contestant,
                        IpAddress.text(address),
                        IpAddress.text(load.sinkAddress()),
                        relayCore());
        try {
            process.awaitReady();
        } catch (IOException e) {
            process.close();
            throw e;
        }
        return new Running(contestant, process, address);
    }

    private void warmUp(Running each) throws IOException {
        load.target(each.address());
        load.open(FLOWS);
        var _ = load.pace(WARM_UP_RATE, FLOWS, VOICE_BYTES, TimeUnit.SECONDS.toNanos(1));
        var _ = load.saturate(WINDOW, FLOWS, VOICE_BYTES, TimeUnit.MILLISECONDS.toNanos(1_500));
    }

    private void measureAll(List<Running> running) throws IOException {
        for (int rate : RATES) {
            rounds(running, rate, VOICE_BYTES, FLOWS);
        }
        rounds(running, 0, VOICE_BYTES, FLOWS);
        if (!options.isQuick()) {
            for (int size : OTHER_SIZES) {
                rounds(running, MIDDLE_RATE, size, FLOWS);
            }
            for (int flows : OTHER_FLOWS) {
                rounds(running, MIDDLE_RATE, VOICE_BYTES, flows);
            }
        }
    }

    private void rounds(List<Running> running, int rate, int size, int flows) throws IOException {
        System.err.printf(
                "%s, %d bytes, %d flows%n",
                rate == 0 ? "as fast as it goes" : rate + " round trips/s", size, flows);
        for (int round = 0; round < options.rounds(); round++) {
            load.target(load.sinkAddress());
            LoadFigures direct = rate == 0 ? null : run(rate, size, flows);
            for (Running each : running) {
                if (each.canTake(flows)) {
                    load.target(each.address());
                    load.open(flows);
                    measure(each, rate, size, flows, direct);
                }
            }
        }
    }

    private LoadFigures run(int rate, int size, int flows) {
        return rate == 0
                ? load.saturate(WINDOW, flows, size, options.windowNanos())
                : load.pace(rate, flows, size, options.windowNanos());
    }

    static InetSocketAddress freeAddress() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
        try (UdpPoller poller = new LinuxUdpPoller()) {
            return poller.bind(any, LoadGenerator.OPTIONS).localAddress();
        }
    }

    private void measure(
            Running running, int rate, int size, int flows, @Nullable LoadFigures direct)
            throws IOException {
        RelayProcess process = running.process();
        // Asking allocates too; the first two answers tell how much.
        double asking = process.allocatedBytes();
        double allocatedBefore = process.allocatedBytes();
        asking = allocatedBefore - asking;
        long cpuBefore = process.cpuNanos();
        LoadFigures figures = run(rate, size, flows);
        long cpu = process.cpuNanos() - cpuBefore;
        double allocated = process.allocatedBytes() - allocatedBefore - asking;
        long packets = figures.sent() + figures.received();
        rows.add(
                new Row(
                        running.contestant().name(),
                        rate,
                        size,
                        flows,
                        2 * figures.rate(),
                        cpu / (double) packets,
                        figures.loss(),
                        added(figures, direct, 50),
                        added(figures, direct, 99),
                        added(figures, direct, 99.9),
                        allocated / packets,
                        process.residentMib(),
                        cpu / (double) figures.nanos()));
    }

    private static double added(LoadFigures figures, @Nullable LoadFigures direct, double at) {
        return direct == null ? Double.NaN : figures.micros(at) - direct.micros(at);
    }
}
