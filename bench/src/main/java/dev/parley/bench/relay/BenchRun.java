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
    private static final String TWO_HOPS = "two-hops";
    private static final int WARM_UP_RATE = 25_000;
    private static final int WINDOW = 512;

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
        if (options.only().contains(TWO_HOPS)) {
            contestants.add(Contestant.twoOfOurs(TWO_HOPS, "native"));
        }
        contestants.addAll(References.build(options.referenceSource()));
        contestants.addAll(options.others());
        contestants.removeIf(each -> !options.takesPart(each));
        List<Running> running = new ArrayList<>();
        try {
            for (Contestant contestant : contestants) {
                running.add(launch(contestant));
            }
            for (Running each : running) {
                warmUp(each);
            }
            for (Load under : options.loads()) {
                rounds(running, under);
            }
        } finally {
            running.forEach(each -> each.process().close());
        }
        List<Row> medians = Report.medians(rows);
        System.out.println(Report.table(medians));
        List<StartUp.Figures> starts = new StartUp(load, relayCore()).measure(options.starts());
        starts.forEach(System.out::println);
        if (options.json() != null) {
            Files.writeString(options.json(), Report.json(medians, starts));
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
        int flows = Load.FLOWS.getFirst();
        int bytes = Load.VOICE_BYTES.getFirst();
        load.target(each.address());
        load.open(flows);
        var _ = run(new Load(WARM_UP_RATE, bytes, flows), TimeUnit.MILLISECONDS.toNanos(700));
        var _ = run(new Load(Load.MAX, bytes, flows), TimeUnit.MILLISECONDS.toNanos(1_300));
    }

    private void rounds(List<Running> running, Load under) throws IOException {
        System.err.println(under);
        for (int round = 0; round < options.rounds(); round++) {
            load.target(load.sinkAddress());
            LoadFigures direct = under.isMaximum() ? null : run(under, options.windowNanos());
            for (Running each : running) {
                if (each.canTake(under.flows())) {
                    load.target(each.address());
                    load.open(under.flows());
                    measure(each, under, direct);
                }
            }
        }
    }

    private LoadFigures run(Load under, long nanos) {
        return under.isMaximum()
                ? load.saturate(WINDOW, under.flows(), under.payloadBytes(), nanos)
                : load.pace(under.rate(), under.flows(), under.payloadBytes(), nanos);
    }

    static InetSocketAddress freeAddress() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
        try (UdpPoller poller = new LinuxUdpPoller()) {
            return poller.bind(any, LoadGenerator.OPTIONS).localAddress();
        }
    }

    private void measure(Running running, Load under, @Nullable LoadFigures direct)
            throws IOException {
        RelayProcess process = running.process();
        // Asking allocates too; the first two answers tell how much.
        double asking = process.allocatedBytes();
        double allocatedBefore = process.allocatedBytes();
        asking = allocatedBefore - asking;
        long cpuBefore = process.cpuNanos();
        LoadFigures figures = run(under, options.windowNanos());
        long cpu = process.cpuNanos() - cpuBefore;
        double allocated = process.allocatedBytes() - allocatedBefore - asking;
        long packets = figures.sent() + figures.received();
        rows.add(
                new Row(
                        running.contestant().name(),
                        under,
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
