package dev.parley.bench.signaling;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Calls a second that signaling and a transceiver set up, with ICE, DTLS and audio there and back:
 * callers come at a fixed rate, however long the others take, speak to the echo, hear it and hang
 * up. The callers run on the same machine and take about as much of it as the product.
 */
public final class SetupRateBench {
    private static final String USAGE =
            """
            usage: ./parley bench setup-rate [--rates N,N,...] [--seconds N] [--base URL]

              --rates    calls a second, one after another (default 5,10,20,40)
              --seconds  how long each (default 10)
              --base     a signaling that runs already; without it the whole product is started
            """;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final URI base;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private SetupRateBench(URI base) {
        this.base = base;
    }

    /** What became of the calls of one rate. */
    private static final class Figures {
        private final Histogram post = new ConcurrentHistogram(3);
        private final Histogram refused = new ConcurrentHistogram(3);
        private final Histogram firstAudio = new ConcurrentHistogram(3);
        private final LongAdder late = new LongAdder();
    }

    /** Prints a table. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<Integer> rates = List.of(5, 10, 20, 40);
        int seconds = 10;
        String base = "";
        for (int i = 0; i < arguments.length; i += 2) {
            String value = i + 1 < arguments.length ? arguments[i + 1] : "";
            switch (arguments[i]) {
                case "--rates" ->
                        rates =
                                List.of(value.split(",", -1)).stream()
                                        .map(Integer::valueOf)
                                        .toList();
                case "--seconds" -> seconds = Integer.parseInt(value);
                case "--base" -> base = value;
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        if (base.isEmpty()) {
            try (ProductProcess product = ProductProcess.start()) {
                new SetupRateBench(product.base()).run(rates, seconds, product);
            }
        } else {
            new SetupRateBench(URI.create(base)).run(rates, seconds, null);
        }
    }

    private void run(List<Integer> rates, int seconds, @Nullable ProductProcess product)
            throws InterruptedException {
        // What was never run is compiled first; that is not what is asked here.
        at(Math.min(5, rates.getFirst()), 5);
        System.out.printf(
                "%8s %6s %8s %6s | %9s %9s | %12s %12s | %12s | %s%n",
                "calls/s",
                "made",
                "refused",
                "late",
                "POST p50",
                "p99 ms",
                "audio p50",
                "p99 ms",
                "refusal p99",
                "product's CPU ms a call");
        for (int rate : rates) {
            long cpu = product == null ? 0 : product.cpuNanos();
            Figures figures = at(rate, seconds);
            long used = product == null ? 0 : product.cpuNanos() - cpu;
            long made = figures.firstAudio.getTotalCount();
            System.out.printf(
                    Locale.ROOT,
                    "%8d %6d %8d %6d | %9.1f %9.1f | %12.1f %12.1f | %12.1f | %.1f%n",
                    rate,
                    made,
                    figures.refused.getTotalCount(),
                    figures.late.sum(),
                    millis(figures.post, 50),
                    millis(figures.post, 99),
                    millis(figures.firstAudio, 50),
                    millis(figures.firstAudio, 99),
                    millis(figures.refused, 99),
                    used / 1e6 / Math.max(1, made));
        }
    }

    private Figures at(int rate, int seconds) throws InterruptedException {
        Figures figures = new Figures();
        List<Thread> calls = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < rate * seconds; i++) {
            long due = start + i * TimeUnit.SECONDS.toNanos(1) / rate;
            TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
            calls.add(Thread.ofVirtual().start(() -> call(due, figures)));
        }
        for (Thread call : calls) {
            call.join();
        }
        return figures;
    }

    // Times run from when the call was due, so that a generator that falls behind hides nothing.
    private void call(long due, Figures figures) {
        try (BenchCall call = new BenchCall()) {
            HttpResponse<String> answer =
                    http.send(
                            HttpRequest.newBuilder(base.resolve("/v1/realtime/calls?model=echo"))
                                    .header("Content-Type", "application/sdp")
                                    .timeout(PATIENCE)
                                    .POST(BodyPublishers.ofString(call.offer()))
                                    .build(),
                            BodyHandlers.ofString());
            if (answer.statusCode() != 201) {
                record(figures.refused, due);
                return;
            }
            record(figures.post, due);
            call.untilAnswered(answer.body(), due + PATIENCE.toNanos());
            record(figures.firstAudio, due);
            http.send(
                    HttpRequest.newBuilder(
                                    base.resolve(
                                            answer.headers().firstValue("Location").orElseThrow()))
                            .timeout(PATIENCE)
                            .DELETE()
                            .build(),
                    BodyHandlers.discarding());
        } catch (IOException _) {
            figures.late.increment();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void record(Histogram histogram, long since) {
        histogram.recordValue(Math.max(1, (System.nanoTime() - since) / 1_000));
    }

    private static double millis(Histogram histogram, double percentile) {
        return histogram.getTotalCount() == 0
                ? Double.NaN
                : histogram.getValueAtPercentile(percentile) / 1e3;
    }
}
