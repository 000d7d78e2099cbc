package dev.parley.bench.sessions;

import dev.parley.app.load.LoadOptions;
import dev.parley.app.load.LoadResults;
import dev.parley.app.load.LoadRun;
import dev.parley.app.load.SpeechFrames;
import dev.parley.app.load.Tally;
import dev.parley.bench.sessions.PinnedProcess.Use;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The command {@code bench sessions}: what a core, or several, carry of whole calls. A transceiver
 * of the product has the last cores to itself; callers and an echo of the product have the others.
 * Whatever number of calls, the transceiver is the same process, so it is warm for all but the
 * first.
 */
public final class SessionsBench {
    private static final String USAGE =
            """
            usage: ./parley bench sessions [--calls N,N,...] [--formats F,F,...] [--seconds N] [--setups N] [--json FILE]
                                     [--hop grpc|none] [--cores N] [--option 'KEY: VALUE']...

              --calls    calls at a time, one after another (default 50,200,400,600,1000)
              --formats  of audio between transceiver and agent: opus, linear16/16000, ... (default opus,linear16/16000)
              --seconds  how long each is measured, after as long a warm-up (default 10)
              --option   a line of the transceiver's config, such as 'output_cushion: 0ms'
              --cores    of the transceiver, the last ones, with a media loop each (default 1); callers and agent have the
                         others, and share all of them where none is left
              --hop      none: the agent is an echo of Opus in the transceiver's process (default grpc)
              --setups   calls that are placed at once, for set-ups a second; 0 for none (default 300)

            Tells the most calls of which less than 0.1 % of packets were lost and 99 % left within 5 ms of their time, and what
            a call holds in memory: live objects with calls less those without.
            """;
    private static final String APP = "dev.parley.app.Main";
    private static final double RAMP = 40;
    private static final int WARM_UP_SECONDS = 3;
    private static final int SETUP_ROUNDS = 3;
    private static final long SETUP_SAMPLE_NANOS = 50_000_000L;

    /** So many calls at once, or all that were asked for, tell what one holds. */
    private static final int MEMORY_CALLS = 200;

    /** Columns that are compared from day to day. */
    private static final List<String> COMPARED =
            List.of(
                    "us/packet",
                    "calls a core",
                    "rtt p50",
                    "above fastest p99",
                    "setups/s",
                    "KiB a call");

    private static final double MOST_LOSS_PERCENT = 0.1;
    private static final double MOST_PACING_ERROR_MILLIS = 5;

    private final int seconds;
    private final int setups;
    private final List<String> lines;
    private final boolean hop;
    private final int cores;
    private final Map<String, Map<String, Double>> rows = new LinkedHashMap<>();

    private SessionsBench(int seconds, int setups, List<String> lines, boolean hop, int cores) {
        this.hop = hop;
        this.cores = cores;
        this.lines = lines;
        this.seconds = seconds;
        this.setups = setups;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<Integer> calls = List.of(50, 200, 400, 600, 1_000);
        List<String> formats = List.of("opus", "linear16/16000");
        int seconds = 10;
        int setups = 300;
        String json = "";
        boolean hop = true;
        int cores = 1;
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < arguments.length; i += 2) {
            String value = i + 1 < arguments.length ? arguments[i + 1] : "";
            switch (arguments[i]) {
                case "--calls" ->
                        calls = List.of(value.split(",")).stream().map(Integer::valueOf).toList();
                case "--formats" -> formats = List.of(value.split(","));
                case "--seconds" -> seconds = Integer.parseInt(value);
                case "--setups" -> setups = Integer.parseInt(value);
                case "--json" -> json = value;
                case "--option" -> lines.add(value);
                case "--cores" -> cores = Integer.parseInt(value);
                case "--hop" -> hop = !value.equals("none");
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        SessionsBench bench = new SessionsBench(seconds, setups, lines, hop, cores);
        for (String format : hop ? formats : List.of("opus")) {
            bench.measure(format, calls);
        }
        if (!json.isEmpty()) {
            Files.writeString(Path.of(json), bench.json());
        }
    }

    /** The figures that are compared from day to day, by their names. */
    public static Map<String, Double> figures(int seconds)
            throws IOException, InterruptedException {
        SessionsBench bench = new SessionsBench(seconds, 200, List.of(), true, 1);
        bench.measure("opus", List.of(50, 200));
        bench.measure("linear16/16000", List.of(50));
        Map<String, Double> figures = new LinkedHashMap<>();
        for (String row : bench.rows.keySet()) {
            for (String column : COMPARED) {
                Double value = bench.rows.getOrDefault(row, Map.of()).get(column);
                // The round trip of LINEAR16 is not seen.
                if (value != null && Double.isFinite(value)) {
                    figures.put("sessions." + row + ", " + column, value);
                }
            }
        }
        return figures;
    }

    private void measure(String format, List<Integer> calls)
            throws IOException, InterruptedException {
        int all = Runtime.getRuntime().availableProcessors();
        int first = Math.max(0, all - cores);
        if (first > 0) {
            pinThisProcess("0-" + (first - 1));
        }
        int port = freePort();
        try (PinnedProcess stub =
                        PinnedProcess.start(
                                APP,
                                "inference-stub",
                                "",
                                List.of("grpc_address: 127.0.0.1:0", "admin_address: off"));
                PinnedProcess transceiver =
                        PinnedProcess.start(
                                hop ? APP : TransceiverWithoutHop.class.getName(),
                                "transceiver",
                                first + "-" + (all - 1),
                                config(port, stub))) {
            InetSocketAddress media = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            try (ControlCalls control =
                    new ControlCalls(transceiver.address(), media, "echo", format)) {
                warmUp(control);
                header(format);
                for (int count : calls) {
                    row(format, count, transceiver, control);
                }
                tellMost(format);
                memory(format, Collections.max(calls), transceiver, control);
                if (setups > 0) {
                    setups(format, transceiver, control);
                }
            }
        }
    }

    /** What a process does in its first half minute says little of its day. */
    private static void warmUp(ControlCalls control) throws IOException, InterruptedException {
        Map<String, String> given =
                Map.of("sessions", "150", "ramp", "30", "seconds", "18", "call-seconds", "4");
        try (LoadRun run = new LoadRun(LoadOptions.of(given), control, SpeechFrames.builtIn())) {
            run.run((_, _, _) -> {});
        }
    }

    private List<String> config(int port, PinnedProcess stub) {
        List<String> config = new ArrayList<>(lines);
        Collections.addAll(
                config,
                "media_address: 127.0.0.1:" + port,
                "control_address: 127.0.0.1:0",
                "route_key_id: 1",
                "route_keys:",
                "  1: 000102030405060708090a0b0c0d0e0f",
                "media_loops: " + cores,
                "max_sessions: 10000",
                "max_delay: 0s", // who is refused says nothing of what a call costs
                "backends:",
                "  \"*\": 127.0.0.1:" + stub.address().getPort());
        if (hop) {
            config.add("admin_address: off");
        }
        return config;
    }

    /** Children that are not pinned themselves inherit it. */
    private static void pinThisProcess(String cores) throws IOException, InterruptedException {
        Process taskset =
                new ProcessBuilder(
                                "taskset",
                                "-a",
                                "-p",
                                "-c",
                                cores,
                                Long.toString(ProcessHandle.current().pid()))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        if (taskset.waitFor() != 0) {
            throw new IOException("taskset does not work here: install util-linux");
        }
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static LoadOptions options(int calls, double ramp, int seconds, int warmUp) {
        Map<String, String> given = new HashMap<>();
        given.put("sessions", Integer.toString(calls));
        given.put("ramp", Double.toString(ramp));
        given.put("seconds", Integer.toString(seconds));
        given.put("warm-up", Integer.toString(warmUp));
        return LoadOptions.of(given);
    }

    private void row(String format, int calls, PinnedProcess transceiver, ControlCalls control)
            throws IOException, InterruptedException {
        LoadOptions options = options(calls, RAMP, 2 * seconds + 2, WARM_UP_SECONDS);
        double full = (calls - 1) / RAMP + seconds;
        Window window = new Window(transceiver, full, full + seconds + 1.5);
        LoadResults results;
        try (LoadRun run = new LoadRun(options, control, SpeechFrames.builtIn())) {
            results = run.run(window);
        }
        Tally tally = window.tally();
        // The mark that tells a packet of one's own does not outlive decoding.
        boolean marked = format.equals("opus");
        double echoed = Math.max(1, marked ? tally.returned() : tally.received());
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("us/packet", window.cpuNanos() / 1e3 / echoed);
        figures.put(
                "without gRPC's", (window.cpuNanos() - window.cpuNanos(Use.GRPC)) / 1e3 / echoed);
        figures.put("collector", window.cpuNanos(Use.COLLECTOR) / 1e3 / echoed);
        figures.put("core %", window.cpuNanos() / 1e7 / window.seconds());
        figures.put("calls a core", calls * 1e9 * window.seconds() / window.cpuNanos());
        figures.put("echoed/s", echoed / window.seconds());
        figures.put("rtt p50", millis(tally.echo(), 50));
        figures.put("p99", millis(tally.echo(), 99));
        figures.put("above fastest p99", millis(tally.variation(), 99));
        figures.put("edge p50", millis(tally.stun(), 50));
        figures.put("edge p99", millis(tally.stun(), 99));
        figures.put("pacing p99", millis(tally.pacing(), 99));
        figures.put("loss %", 100 * results.loss());
        figures.put("MiB", window.residentMib());
        figures.put("connected", (double) results.total().connected());
        figures.put("failed", (double) results.total().failed());
        figures.put("without audio", (double) results.total().withoutAudio());
        figures.put("generator late p99", millis(tally.lateness(), 99));
        rows.put(format + " " + calls, figures);
        StringBuilder line = new StringBuilder(String.format("%8d", calls));
        figures.forEach(
                (name, value) ->
                        line.append(
                                String.format(
                                        Locale.ROOT,
                                        " %" + Math.max(9, name.length()) + ".2f",
                                        value)));
        System.out.println(line);
    }

    private static double millis(Histogram micros, double percentile) {
        return micros.getTotalCount() == 0
                ? Double.NaN
                : micros.getValueAtPercentile(percentile) / 1e3;
    }

    private static void header(String format) {
        System.out.printf("%n%s; times in ms%n%8s", format, "calls");
        for (String name :
                List.of(
                        "us/packet",
                        "without gRPC's",
                        "collector",
                        "core %",
                        "calls a core",
                        "echoed/s",
                        "rtt p50",
                        "p99",
                        "above fastest p99",
                        "edge p50",
                        "edge p99",
                        "pacing p99",
                        "loss %",
                        "MiB",
                        "connected",
                        "failed",
                        "without audio",
                        "generator late p99")) {
            System.out.printf(" %" + Math.max(9, name.length()) + "s", name);
        }
        System.out.println();
    }

    /** The most calls that were carried well. */
    private void tellMost(String format) {
        rows.entrySet().stream()
                .filter(row -> row.getKey().startsWith(format + " ") && isGood(row.getValue()))
                .mapToDouble(row -> row.getValue().getOrDefault("connected", 0.0))
                .max()
                .ifPresentOrElse(
                        most ->
                                System.out.printf(
                                        Locale.ROOT,
                                        "most calls of these below %.1f %% of loss and %.0f ms of pacing error: %.0f%n",
                                        MOST_LOSS_PERCENT,
                                        MOST_PACING_ERROR_MILLIS,
                                        most),
                        () -> System.out.println("none of these was carried well"));
    }

    private static boolean isGood(Map<String, Double> row) {
        return row.getOrDefault("loss %", Double.NaN) < MOST_LOSS_PERCENT
                && row.getOrDefault("pacing p99", Double.NaN) < MOST_PACING_ERROR_MILLIS
                && row.getOrDefault("failed", Double.NaN) == 0;
    }

    private void memory(String format, int most, PinnedProcess transceiver, ControlCalls control)
            throws IOException, InterruptedException {
        int calls = Math.min(most, MEMORY_CALLS);
        double idle = transceiver.liveMib();
        double full = (calls - 1) / RAMP + 1;
        List<Double> held = new ArrayList<>();
        try (LoadRun run =
                new LoadRun(options(calls, RAMP, 3, 0), control, SpeechFrames.builtIn())) {
            run.run(
                    (sample, _, _) -> {
                        if (held.isEmpty() && sample.seconds() >= full) {
                            held.add(liveMib(transceiver));
                        }
                    });
        }
        double kib = held.isEmpty() ? Double.NaN : (held.getFirst() - idle) * 1_024 / calls;
        System.out.printf(
                Locale.ROOT,
                "live objects: %.1f MiB without calls, %.0f KiB more for each of %d%n",
                idle,
                kib,
                calls);
        rows.put(format + " memory", Map.of("KiB a call", kib));
    }

    private static double liveMib(PinnedProcess transceiver) {
        try {
            return transceiver.liveMib();
        } catch (IOException e) {
            throw new UncheckedIOException("the transceiver is gone", e);
        }
    }

    private void setups(String format, PinnedProcess transceiver, ControlCalls control)
            throws IOException, InterruptedException {
        for (int round = 0; round < SETUP_ROUNDS; round++) {
            setUp(format, transceiver, control);
            // Those that have hung up are gone on the other side, too.
            Thread.sleep(1_000);
        }
    }

    private void setUp(String format, PinnedProcess transceiver, ControlCalls control)
            throws IOException, InterruptedException {
        LoadOptions options = options(setups, 10_000, 3, 0);
        SetupWindow window = new SetupWindow(transceiver, setups);
        LoadResults results;
        try (LoadRun run =
                new LoadRun(options, control, SpeechFrames.builtIn(), SETUP_SAMPLE_NANOS)) {
            window.begin();
            results = run.run(window);
        }
        double last = millis(results.total().connect(), 100);
        double rate = results.total().connected() / (last / 1e3);
        double cpuMillis = window.usedNanos() / 1e6 / setups;
        System.out.printf(
                Locale.ROOT,
                "%d calls placed at once: %d up after %.0f ms, so %.0f set-ups a second; %.2f ms of"
                        + " processor time each, %.2f of it the compiler's, with the audio that those"
                        + " who are up send meanwhile%n",
                setups,
                results.total().connected(),
                last,
                rate,
                cpuMillis,
                window.compilerNanos() / 1e6 / setups);
        rows.put(
                format + " setups",
                new LinkedHashMap<>(Map.of("setups/s", rate, "cpu ms a set-up", cpuMillis)));
    }

    private String json() {
        StringBuilder out = new StringBuilder("{\n");
        rows.forEach(
                (row, figures) -> {
                    out.append(out.length() > 2 ? ",\n" : "")
                            .append("  \"")
                            .append(row)
                            .append("\": {");
                    List<String> pairs = new ArrayList<>();
                    figures.forEach(
                            (name, value) ->
                                    pairs.add(
                                            Double.isFinite(value)
                                                    ? String.format(
                                                            Locale.ROOT,
                                                            "\"%s\": %.4f",
                                                            name,
                                                            value)
                                                    : "\"" + name + "\": null"));
                    out.append(String.join(", ", pairs)).append('}');
                });
        return out.append("\n}\n").toString();
    }
}
