package dev.parley.bench.all;

import dev.parley.bench.Machine;
import dev.parley.bench.grpc.GrpcTransportBench;
import dev.parley.bench.sessions.SessionsBench;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The command {@code bench all}: the figures that Parley is judged by, one table with medians and
 * spreads, compared with those of {@code bench/baseline.json}.
 */
public final class AllBench {
    private static final String USAGE =
            """
            usage: ./parley bench all [--rounds N] [--only PART,...] [--baseline FILE] [--write FILE]

              --rounds    how often each is measured; medians are compared (default 3)
              --only      of pieces, relay, grpc, sessions (default all; about a quarter of an hour)
              --baseline  figures to compare with (default bench/baseline.json, if it is there)
              --write     keeps the figures of this run in such a file, beside those of other parts

            Exits with 1 when a median is worse than the baseline's by more than a fifth, and worse than its worst round, if the
            baseline was made on such a machine.
            """;

    private static final List<String> PARTS = List.of("pieces", "relay", "grpc", "sessions");
    private static final int GRPC_STREAMS = 200;
    private static final int SECONDS = 6;

    private final int rounds;
    private final Map<String, List<Double>> figures = new LinkedHashMap<>();

    private AllBench(int rounds) {
        this.rounds = rounds;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int rounds = 3;
        List<String> parts = PARTS;
        Path baseline = kept();
        boolean given = false;
        String write = "";
        for (int i = 0; i < arguments.length; i += 2) {
            String value = i + 1 < arguments.length ? arguments[i + 1] : "";
            switch (arguments[i]) {
                case "--rounds" -> rounds = Integer.parseInt(value);
                case "--only" -> parts = List.of(value.split(","));
                case "--baseline" -> {
                    baseline = Path.of(value);
                    given = true;
                }
                case "--write" -> write = value;
                default -> refuse("unknown option " + arguments[i]);
            }
        }
        if (rounds < 1 || !PARTS.containsAll(parts)) {
            refuse("--rounds is 1 or more, --only of " + PARTS);
        }
        boolean compares = Files.exists(baseline);
        if (given && !compares) {
            refuse("--baseline " + baseline + " is not there");
        }
        AllBench bench = new AllBench(rounds);
        for (String part : parts) {
            bench.measure(part);
        }
        Baseline before = compares ? Baseline.read(baseline) : Baseline.EMPTY;
        boolean worse = bench.report(before);
        boolean comparable = before.isOf(machine());
        if (!compares) {
            System.out.println("There is no " + baseline + ": nothing was compared.");
        } else if (!comparable) {
            System.out.println("The baseline is of another machine: " + before.machine());
        }
        if (!write.isEmpty()) {
            Path file = Path.of(write);
            Baseline old = Files.exists(file) ? Baseline.read(file) : Baseline.EMPTY;
            Files.writeString(file, old.with(machine(), bench.figures).text());
        }
        System.exit(worse && comparable ? 1 : 0);
    }

    /** The one of this tree, from wherever the command is given. */
    private static Path kept() {
        return Path.of(System.getenv().getOrDefault("PARLEY_COMMAND", "./parley"))
                .resolveSibling("bench/baseline.json");
    }

    private static void refuse(String why) {
        System.err.println("parley: " + why);
        System.err.print(USAGE);
        System.exit(2);
    }

    private void measure(String part) throws IOException, InterruptedException {
        System.err.println(part + " ...");
        switch (part) {
            case "pieces" -> figures.putAll(new Pieces().measure(rounds));
            case "relay" -> figures.putAll(RelayFigures.measure(rounds));
            case "grpc" -> {
                for (int i = 0; i < rounds; i++) {
                    GrpcTransportBench.sample(GRPC_STREAMS, SECONDS).forEach(this::add);
                }
            }
            case "sessions" -> {
                for (int i = 0; i < rounds; i++) {
                    SessionsBench.figures(SECONDS).forEach(this::add);
                }
            }
            default -> throw new IllegalArgumentException(part);
        }
    }

    private void add(String name, double value) {
        figures.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
    }

    /** Prints the table; answers whether anything got worse. */
    private boolean report(Baseline before) {
        System.out.printf(
                "%-44s %12s %24s %12s %8s%n", "figure", "median", "spread", "baseline", "ratio");
        List<String> regressions = new ArrayList<>();
        figures.forEach(
                (name, values) -> {
                    double median = Spread.of(values).median();
                    Spread old = before.find(name);
                    System.out.printf(
                            Locale.ROOT,
                            "%-44s %12.3f %11.3f .. %9.3f %12s %8s%n",
                            name,
                            median,
                            Spread.of(values).low(),
                            Spread.of(values).high(),
                            old == null ? "-" : String.format(Locale.ROOT, "%.3f", old.median()),
                            old == null
                                    ? "-"
                                    : String.format(Locale.ROOT, "%.2f", median / old.median()));
                    if (old != null && old.isWorse(name, median)) {
                        regressions.add(
                                String.format(
                                        Locale.ROOT,
                                        "%s is %.2f times what it was",
                                        name,
                                        median / old.median()));
                    }
                });
        regressions.forEach(each -> System.out.println("REGRESSION: " + each));
        return !regressions.isEmpty();
    }

    private static String machine() throws IOException {
        return Runtime.getRuntime().availableProcessors()
                + " x "
                + Machine.processor()
                + ", Java "
                + Runtime.version()
                + ", "
                + LocalDate.now(ZoneOffset.UTC);
    }
}
