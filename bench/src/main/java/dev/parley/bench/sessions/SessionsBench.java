package dev.parley.bench.sessions;

import dev.parley.app.load.LoadOptions;
import dev.parley.app.load.LoadResults;
import dev.parley.app.load.LoadRun;
import dev.parley.app.load.LoadSample;
import dev.parley.app.load.SpeechFrames;
import dev.parley.app.load.Tally;
import dev.parley.bench.sessions.PinnedProcess.Use;
import java.io.IOException;
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
 * The command {@code bench sessions}: what one core carries of whole calls. A transceiver of the
 * product has the last core to itself; callers and an echo of the product have the others. Whatever
 * number of calls, the transceiver is the same process, so it is warm for all but the first.
 */
public final class SessionsBench {
    private static final String USAGE =
            """
            usage: ./parley bench sessions [--calls N,N,...] [--formats F,F,...] [--seconds N] [--setups N] [--json FILE]
                                     [--hop grpc|none] [--option 'KEY: VALUE']...

              --calls    calls at a time, one after another (default 50,200,400,600,1000)
              --formats  of audio between transceiver and agent: opus, linear16/16000, ... (default opus,linear16/16000)
              --seconds  how long each is measured, after as long a warm-up (default 10)
              --option   a line of the transceiver's config, such as 'output_cushion: 0ms'
              --hop      none: the agent is an echo of Opus in the transceiver's process (default grpc)
              --setups   calls that are placed at once, for set-ups a second; 0 for none (default 300)
            """;
    private static final String APP = "dev.parley.app.Main";
    private static final double RAMP = 40;
    private static final int WARM_UP_SECONDS = 3;
    private static final int SETUP_ROUNDS = 3;
    private static final long SETUP_SAMPLE_NANOS = 50_000_000L;

    private final int seconds;
    private final int setups;
    private double idleMib;
    private final List<String> lines;
    private final boolean hop;
    private final Map<String, Map<String, Double>> rows = new LinkedHashMap<>();

    private SessionsBench(int seconds, int setups, List<String> lines, boolean hop) {
        this.hop = hop;
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
                case "--hop" -> hop = !value.equals("none");
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        SessionsBench bench = new SessionsBench(seconds, setups, lines, hop);
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
        SessionsBench bench = new SessionsBench(seconds, 200, List.of(), true);
        bench.measure("opus", List.of(50, 200));
        bench.measure("linear16/16000", List.of(50));
        Map<String, Double> figures = new LinkedHashMap<>();
        for (String row : bench.rows.keySet()) {
            for (String column : List.of("us/packet", "rtt p50", "above fastest p99", "setups/s")) {
                Double value = bench.rows.getOrDefault(row, Map.of()).get(column);
                if (value != null) {
                    figures.put("sessions." + row + ", " + column, value);
                }
            }
        }
        return figures;
    }

    private void measure(String format, List<Integer> calls)
            throws IOException, InterruptedException {
        int cores = Runtime.getRuntime().availableProcessors();
        int last = cores > 1 ? cores - 1 : -1;
        if (cores > 1) {
            pinThisProcess("0-" + (cores - 2));
        }
        int port = freePort();
        try (PinnedProcess stub =
                        PinnedProcess.start(
                                APP,
                                "inference-stub",
                                -1,
                                List.of("grpc_address: 127.0.0.1:0", "admin_address: off"));
                PinnedProcess transceiver =
                        PinnedProcess.start(
                                hop ? APP : TransceiverWithoutHop.class.getName(),
                                "transceiver",
                                last,
                                config(port, stub))) {
            InetSocketAddress media = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            try (ControlCalls control =
                    new ControlCalls(transceiver.address(), media, "echo", format)) {
                warmUp(control);
                idleMib = transceiver.residentMib();
                header(format);
                for (int count : calls) {
                    row(format, count, transceiver, control);
                }
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

    /** Gathers what happens between two seconds of a run, with the processor time meanwhile. */
    private static final class Window implements LoadRun.Listener {
        private final PinnedProcess transceiver;
        private final double from;
        private final double to;
        private final Tally tally = new Tally();
        private Map<Use, Long> before = Map.of();
        private Map<Use, Long> after = Map.of();
        private double began;
        private double ended;
        private double residentMib;

        Window(PinnedProcess transceiver, double from, double to) {
            this.transceiver = transceiver;
            this.from = from;
            this.to = to;
        }

        @Override
        public void sampled(LoadSample sample, Tally interval, Tally total) {
            try {
                if (before.isEmpty() && sample.seconds() >= from) {
                    before = transceiver.cpuNanos();
                    began = sample.seconds();
                } else if (!before.isEmpty() && sample.seconds() <= to) {
                    tally.add(interval);
                    after = transceiver.cpuNanos();
                    ended = sample.seconds();
                    residentMib = transceiver.residentMib();
                }
            } catch (IOException e) {
                throw new IllegalStateException("the transceiver is gone", e);
            }
        }

        double cpuNanos(Use use) {
            return after.getOrDefault(use, 0L) - before.getOrDefault(use, 0L);
        }

        /** All that it takes to carry calls: the compiler is done before long. */
        double cpuNanos() {
            return cpuNanos(Use.CALLS)
                    + cpuNanos(Use.GRPC)
                    + cpuNanos(Use.COLLECTOR)
                    + cpuNanos(Use.OTHER);
        }
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
        Tally tally = window.tally;
        // The mark that tells a packet of one's own does not outlive decoding.
        boolean marked = format.equals("opus");
        double echoed = Math.max(1, marked ? tally.returned() : tally.received());
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("us/packet", window.cpuNanos() / 1e3 / echoed);
        figures.put(
                "without gRPC's", (window.cpuNanos() - window.cpuNanos(Use.GRPC)) / 1e3 / echoed);
        figures.put("collector", window.cpuNanos(Use.COLLECTOR) / 1e3 / echoed);
        figures.put("core %", window.cpuNanos() / 1e7 / (window.ended - window.began));
        figures.put("echoed/s", echoed / (window.ended - window.began));
        figures.put("rtt p50", millis(tally.echo(), 50));
        figures.put("p99", millis(tally.echo(), 99));
        figures.put("above fastest p99", millis(tally.variation(), 99));
        figures.put("edge p50", millis(tally.stun(), 50));
        figures.put("edge p99", millis(tally.stun(), 99));
        figures.put("pacing p99", millis(tally.pacing(), 99));
        figures.put("loss %", 100 * results.loss());
        figures.put("MiB", window.residentMib);
        figures.put("KiB a call", (window.residentMib - idleMib) * 1_024 / calls);
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
                        "echoed/s",
                        "rtt p50",
                        "p99",
                        "above fastest p99",
                        "edge p50",
                        "edge p99",
                        "pacing p99",
                        "loss %",
                        "MiB",
                        "KiB a call",
                        "connected",
                        "failed",
                        "without audio",
                        "generator late p99")) {
            System.out.printf(" %" + Math.max(9, name.length()) + "s", name);
        }
        System.out.println();
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
        Setups window = new Setups(transceiver, setups);
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

    /** Watches the processor time of calls that are placed at once, until the last is up. */
    private static final class Setups implements LoadRun.Listener {
        private final PinnedProcess transceiver;
        private final int calls;
        private Map<Use, Long> before = Map.of();
        private Map<Use, Long> after = Map.of();
        private boolean done;

        Setups(PinnedProcess transceiver, int calls) {
            this.transceiver = transceiver;
            this.calls = calls;
        }

        void begin() throws IOException {
            before = transceiver.cpuNanos();
        }

        @Override
        public void sampled(LoadSample sample, Tally interval, Tally total) {
            if (done) {
                return;
            }
            try {
                after = transceiver.cpuNanos();
                done = total.connected() + total.failed() >= calls;
            } catch (IOException e) {
                throw new IllegalStateException("the transceiver is gone", e);
            }
        }

        double compilerNanos() {
            return after.getOrDefault(Use.COMPILER, 0L) - before.getOrDefault(Use.COMPILER, 0L);
        }

        double usedNanos() {
            double used = 0;
            for (Map.Entry<Use, Long> each : after.entrySet()) {
                used += each.getValue() - before.getOrDefault(each.getKey(), 0L);
            }
            return used;
        }
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
