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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs the contestants in turn, round after round, so that whatever else the machine does meets all
 * of them alike. Each runs on one core of its own, the load on another.
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
    private final Map<String, LoadFigures> direct = new HashMap<>();
    private final List<Row> rows = new ArrayList<>();

    private BenchRun(BenchOptions options) {
        this.options = options;
    }

    /** The bench's command line; answers the exit code. */
    public static int run(String[] arguments) throws IOException {
        BenchOptions options;
        try {
            options = BenchOptions.parse(arguments);
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

    private void compare() throws IOException {
        List<Contestant> contestants = new ArrayList<>();
        contestants.add(Contestant.ours("batched", "native"));
        contestants.add(Contestant.ours("portable", "portable"));
        contestants.addAll(References.build(options.references()));
        contestants.addAll(options.others());
        for (int round = 1; round <= options.rounds(); round++) {
            System.err.println("round " + round + " of " + options.rounds());
            measureDirect();
            for (Contestant contestant : contestants) {
                measure(contestant);
            }
        }
        List<Row> medians = Report.medians(rows);
        System.out.println(Report.table(medians));
        StartUp.Figures startUp = new StartUp(load, contestants.getFirst(), relayCore()).measure();
        System.out.println(startUp);
        if (options.json() != null) {
            Files.writeString(options.json(), Report.json(medians));
        }
    }

    private void measureDirect() throws IOException {
        load.target(load.sinkAddress());
        load.open(FLOWS);
        var _ = load.pace(WARM_UP_RATE, FLOWS, VOICE_BYTES, options.windowNanos());
        for (int rate : RATES) {
            direct(rate, VOICE_BYTES);
        }
        if (!options.isQuick()) {
            for (int size : OTHER_SIZES) {
                direct(MIDDLE_RATE, size);
            }
        }
    }

    private void direct(int rate, int size) {
        direct.put(rate + " " + size, load.pace(rate, FLOWS, size, options.windowNanos()));
    }

    private void measure(Contestant contestant) throws IOException {
        InetSocketAddress relay = freeAddress();
        try (RelayProcess process =
                RelayProcess.launch(
                        contestant,
                        IpAddress.text(relay),
                        IpAddress.text(load.sinkAddress()),
                        relayCore())) {
            process.awaitReady();
            load.target(relay);
            load.open(FLOWS);
            warmUp();
            for (int rate : RATES) {
                paced(process, contestant, rate, VOICE_BYTES, FLOWS);
            }
            fastest(process, contestant);
            if (!options.isQuick()) {
                for (int size : OTHER_SIZES) {
                    paced(process, contestant, MIDDLE_RATE, size, FLOWS);
                }
                for (int flows : OTHER_FLOWS) {
                    if (flows <= contestant.maxFlows()) {
                        load.open(flows);
                        paced(process, contestant, MIDDLE_RATE, VOICE_BYTES, flows);
                    }
                }
            }
        }
    }

    private void warmUp() {
        var _ = load.pace(WARM_UP_RATE, FLOWS, VOICE_BYTES, TimeUnit.SECONDS.toNanos(1));
        var _ = load.saturate(WINDOW, FLOWS, VOICE_BYTES, TimeUnit.MILLISECONDS.toNanos(1_500));
    }

    static InetSocketAddress freeAddress() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
        try (UdpPoller poller = new LinuxUdpPoller()) {
            return poller.bind(any, LoadGenerator.OPTIONS).localAddress();
        }
    }

    private interface Load {
        LoadFigures run();
    }

    private void paced(RelayProcess process, Contestant contestant, int rate, int size, int flows)
            throws IOException {
        add(
                process,
                contestant,
                rate,
                size,
                flows,
                () -> load.pace(rate, flows, size, options.windowNanos()));
    }

    private void fastest(RelayProcess process, Contestant contestant) throws IOException {
        add(
                process,
                contestant,
                0,
                VOICE_BYTES,
                FLOWS,
                () -> load.saturate(WINDOW, FLOWS, VOICE_BYTES, options.windowNanos()));
    }

    private void add(
            RelayProcess process, Contestant contestant, int rate, int size, int flows, Load what)
            throws IOException {
        // Asking allocates too; the first two answers tell how much.
        double asking = process.allocatedBytes();
        double allocatedBefore = process.allocatedBytes();
        asking = allocatedBefore - asking;
        long cpuBefore = process.cpuNanos();
        LoadFigures figures = what.run();
        long cpu = process.cpuNanos() - cpuBefore;
        double allocated = process.allocatedBytes() - allocatedBefore - asking;
        long packets = figures.sent() + figures.received();
        LoadFigures base = direct.get(rate + " " + size);
        rows.add(
                new Row(
                        contestant.name(),
                        rate,
                        size,
                        flows,
                        2 * figures.rate(),
                        cpu / (double) packets,
                        figures.loss(),
                        added(figures, base, 50),
                        added(figures, base, 99),
                        added(figures, base, 99.9),
                        allocated / packets,
                        process.residentMib(),
                        cpu / (double) figures.nanos()));
    }

    private static double added(LoadFigures figures, @Nullable LoadFigures base, double at) {
        return base == null ? Double.NaN : figures.micros(at) - base.micros(at);
    }
}
