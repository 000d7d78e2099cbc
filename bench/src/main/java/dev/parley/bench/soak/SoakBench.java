package dev.parley.bench.soak;

import dev.parley.app.load.HttpCalls;
import dev.parley.app.load.LoadOptions;
import dev.parley.app.load.LoadResults;
import dev.parley.app.load.LoadRun;
import dev.parley.app.load.LoadSample;
import dev.parley.app.load.SpeechFrames;
import dev.parley.app.load.Tally;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The command {@code bench soak}: the whole product under whole calls that come and go, for as long
 * as is asked for, and minute by minute what it holds and how long packets take. It fails when
 * something grows.
 */
public final class SoakBench {
    private static final String USAGE =
            """
            usage: ./parley bench soak [--minutes N] [--sessions N] [--call-seconds S] [--report FILE]

              --minutes       how long (default 60); the first tenth is a warm-up that no trend counts
              --sessions      calls at a time (default 150)
              --call-seconds  mean length of a call, which is then replaced by another (default 45)
              --report        Markdown file for what was seen
            """;
    private static final int SECONDS_PER_MINUTE = 60;

    /** Every how many minutes a line of the report is. */
    private static final int ROW_MINUTES = 5;

    private final List<Minute> minutes = new ArrayList<>();
    private final Map<String, String> given = new HashMap<>();
    private double liveFirstMib;
    private double liveLastMib;
    private int length = 60;
    private Path report = Path.of("");

    private SoakBench() {}

    /** Exits with 1 when something grows or calls fail, 2 when an option cannot be used. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        System.exit(new SoakBench().run(arguments));
    }

    private int run(String[] arguments) throws IOException, InterruptedException {
        given.put("sessions", "150");
        given.put("call-seconds", "45");
        for (int i = 0; i < arguments.length; i += 2) {
            String value = i + 1 < arguments.length ? arguments[i + 1] : "";
            switch (arguments[i]) {
                case "--minutes" -> length = Integer.parseInt(value);
                case "--sessions", "--call-seconds" -> given.put(arguments[i].substring(2), value);
                case "--report" -> report = Path.of(value);
                default -> {
                    System.err.print(USAGE);
                    return 2;
                }
            }
        }
        given.put("seconds", Integer.toString(length * SECONDS_PER_MINUTE));
        LoadResults results = soak();
        String text = report(results);
        System.out.print(text);
        if (!report.toString().isEmpty()) {
            Files.writeString(report, text);
        }
        return trends().stream().anyMatch(Trend::grows) || failed(results) ? 1 : 0;
    }

    private LoadResults soak() throws IOException, InterruptedException {
        try (ProductProcess product = ProductProcess.start();
                HttpCalls requests = new HttpCalls(product.url(), "echo", "", true)) {
            given.put("url", product.url().toString());
            LoadOptions options = LoadOptions.of(given);
            try (LoadRun run = new LoadRun(options, requests, SpeechFrames.builtIn())) {
                return run.run(new Watch(product));
            }
        }
    }

    /** Sums up each minute. */
    private final class Watch implements LoadRun.Listener {
        private final ProductProcess product;
        private Tally minute = new Tally();
        private double until = SECONDS_PER_MINUTE;

        Watch(ProductProcess product) {
            this.product = product;
        }

        @Override
        public void sampled(LoadSample sample, Tally interval, Tally total) {
            minute.add(interval);
            if (sample.seconds() < until || minutes.size() == length) {
                return;
            }
            until += SECONDS_PER_MINUTE;
            Minute done =
                    Minute.of(minutes.size() + 1, sample.active(), minute, ask(product::holdings));
            minutes.add(done);
            if (minutes.size() == Math.max(1, warmUp())) {
                liveFirstMib = ask(product::liveMib);
            }
            if (minutes.size() == length) {
                liveLastMib = ask(product::liveMib);
            }
            minute = new Tally();
            System.out.println(row(done));
        }
    }

    /** What the product is asked. */
    private interface Question<T> {
        T answer() throws IOException;
    }

    private static <T> T ask(Question<T> question) {
        try {
            return question.answer();
        } catch (IOException e) {
            throw new UncheckedIOException("the product is gone", e);
        }
    }

    /** Minutes of it. */
    private int warmUp() {
        return length / 10;
    }

    private static boolean failed(LoadResults results) {
        return results.total().failed() > 0 || results.total().connected() == 0;
    }

    private List<Trend> trends() {
        List<Minute> warm = minutes.subList(Math.min(warmUp(), minutes.size()), minutes.size());
        double hours = Math.max(1, length - warmUp()) / (double) SECONDS_PER_MINUTE;
        return List.of(
                new Trend(
                        "live objects, MiB",
                        liveFirstMib,
                        liveLastMib,
                        (liveLastMib - liveFirstMib) / hours,
                        8),
                Trend.of("resident, MiB", warm, m -> m.holdings().residentMib(), 32),
                Trend.of("threads", warm, m -> m.holdings().threads(), 2),
                Trend.of("descriptors", warm, m -> m.holdings().descriptors(), 4),
                Trend.of("round trip p1, ms", warm, Minute::fastestMillis, 1),
                Trend.of("round trip p50, ms", warm, Minute::roundTripMillis, 2),
                Trend.of("pacing error p99, ms", warm, Minute::pacingP99Millis, 1));
    }

    private String report(LoadResults results) {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "%d minutes, %s calls of %s s on average at a time: %d connected, %d failed,"
                                + " %.4f %% of packets lost, longest time without a packet %.0f"
                                + " ms.%n%n",
                        minutes.size(),
                        given.get("sessions"),
                        given.get("call-seconds"),
                        results.total().connected(),
                        results.total().failed(),
                        100 * results.loss(),
                        results.gapMaxMillis()));
        text.append("| | first third | last third | in an hour | at most | |\n");
        text.append("| --- | --- | --- | --- | --- | --- |\n");
        trends().forEach(trend -> text.append(trend.row()).append('\n'));
        text.append(
                """

                | minute | calls | connected | failed | resident MiB | threads | descriptors | rtt p50 ms | p99 | \
                pacing p99 ms | generator late p99 ms |
                | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
                """);
        for (Minute minute : minutes) {
            if (minute.number() % ROW_MINUTES == 0 || minutes.size() < 2 * ROW_MINUTES) {
                text.append(row(minute)).append('\n');
            }
        }
        return text.toString();
    }

    private static String row(Minute minute) {
        return String.format(
                Locale.ROOT,
                "| %d | %d | %d | %d | %.0f | %d | %d | %.1f | %.1f | %.1f | %.1f |",
                minute.number(),
                minute.calls(),
                minute.connected(),
                minute.failed(),
                minute.holdings().residentMib(),
                minute.holdings().threads(),
                minute.holdings().descriptors(),
                minute.roundTripMillis(),
                minute.roundTripP99Millis(),
                minute.pacingP99Millis(),
                minute.lateP99Millis());
    }
}
