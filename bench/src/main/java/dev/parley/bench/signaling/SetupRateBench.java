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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Calls a second that signaling and a transceiver set up, with ICE, DTLS and audio there and back:
 * callers come at a fixed rate, however long the others take, speak to the echo, hear it and hang
 * up, while other calls go on. The callers run on the same machine and take about as much of it as
 * the product.
 */
public final class SetupRateBench {
    private static final String USAGE =
            """
            usage: ./parley bench setup-rate [--rates N,N,...] [--seconds N] [--calls N]
                                       [--cold] [--four] [--base URL]

              --rates    calls a second, one after another (default 0,5,10,20,40)
              --seconds  how long each (default 10)
              --calls    calls that go on meanwhile and whose audio is timed (default 10)
              --cold     each rate meets a product that was just started
              --four     the product in four processes, as it is deployed, not in one
              --base     a signaling that runs already; without it the whole product is started
            """;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String CALLS = "/v1/realtime/calls?model=echo";
    private static final int WARM_UP_RATE = 10;
    private static final int WARM_UP_SECONDS = 6;

    private final URI base;
    private final int seconds;
    private final int talkers;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private SetupRateBench(URI base, int seconds, int talkers) {
        this.base = base;
        this.seconds = seconds;
        this.talkers = talkers;
    }

    /** What became of the calls of one rate. */
    private static final class Figures {
        private final Histogram post = new ConcurrentHistogram(3);
        private final Histogram refused = new ConcurrentHistogram(3);
        private final Histogram firstAudio = new ConcurrentHistogram(3);
        private final Histogram roundTrips = new ConcurrentHistogram(3);
        private final LongAdder lost = new LongAdder();
        private final LongAdder late = new LongAdder();
    }

    /** Prints a table. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<Integer> rates = List.of(0, 5, 10, 20, 40);
        int seconds = 10;
        int talkers = 10;
        boolean cold = false;
        boolean four = false;
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
                case "--calls" -> talkers = Integer.parseInt(value);
                case "--base" -> base = value;
                case "--cold" -> {
                    cold = true;
                    i--;
                }
                case "--four" -> {
                    four = true;
                    i--;
                }
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        if (!base.isEmpty()) {
            SetupRateBench bench = new SetupRateBench(URI.create(base), seconds, talkers);
            bench.warmUp();
            head();
            for (int rate : rates) {
                bench.measure(rate, null);
            }
            return;
        }
        Product product = start(four);
        try {
            // The callers are no part of the question: they are warm in any case.
            new SetupRateBench(product.base(), seconds, talkers).warmUp();
            head();
            for (int rate : rates) {
                if (cold) {
                    product.close();
                    product = start(four);
                }
                new SetupRateBench(product.base(), seconds, talkers).measure(rate, product);
            }
        } finally {
            product.close();
        }
    }

    private static Product start(boolean four) throws IOException {
        return four ? Product.inFourProcesses("") : Product.inOneProcess();
    }

    private void warmUp() throws InterruptedException {
        place(WARM_UP_RATE, WARM_UP_SECONDS, new Figures());
    }

    private static void head() {
        System.out.printf(
                "%8s %6s %8s %6s | %9s %9s | %9s %9s | %9s %9s | %9s %9s %9s %6s | %s%n",
                "calls/s",
                "made",
                "refused",
                "failed",
                "POST p50",
                "p99 ms",
                "audio p50",
                "p99 ms",
                "refus p50",
                "p99 ms",
                "calls p50",
                "p99 ms",
                "max ms",
                "lost",
                "product's CPU ms a call");
    }

    private void measure(int rate, @Nullable Product product) throws InterruptedException {
        Figures figures = new Figures();
        AtomicBoolean talking = new AtomicBoolean(true);
        List<Thread> talks = new ArrayList<>();
        for (int i = 0; i < talkers; i++) {
            // One after another: they are there before the others come.
            CompletableFuture<Void> ready = new CompletableFuture<>();
            talks.add(Thread.ofPlatform().start(() -> talk(ready, talking, figures)));
            var _ = ready.join();
        }
        figures.roundTrips.reset();
        long cpu = product == null ? 0 : product.cpuNanos();
        place(rate, seconds, figures);
        long used = product == null ? 0 : product.cpuNanos() - cpu;
        talking.set(false);
        for (Thread talk : talks) {
            talk.join();
        }
        print(rate, figures, used);
    }

    private static void print(int rate, Figures figures, long cpuNanos) {
        long made = figures.firstAudio.getTotalCount();
        System.out.printf(
                Locale.ROOT,
                "%8d %6d %8d %6d | %9.1f %9.1f | %9.1f %9.1f | %9.1f %9.1f | %9.1f %9.1f %9.1f %6d"
                        + " | %.1f%n",
                rate,
                made,
                figures.refused.getTotalCount(),
                figures.late.sum(),
                millis(figures.post, 50),
                millis(figures.post, 99),
                millis(figures.firstAudio, 50),
                millis(figures.firstAudio, 99),
                millis(figures.refused, 50),
                millis(figures.refused, 99),
                millis(figures.roundTrips, 50),
                millis(figures.roundTrips, 99),
                millis(figures.roundTrips, 100),
                figures.lost.sum(),
                cpuNanos / 1e6 / Math.max(1, made));
    }

    private void place(int rate, int lasting, Figures figures) throws InterruptedException {
        List<Thread> calls = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < rate * lasting; i++) {
            long due = start + i * TimeUnit.SECONDS.toNanos(1) / rate;
            TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
            calls.add(Thread.ofVirtual().start(() -> call(due, figures)));
        }
        long end = start + TimeUnit.SECONDS.toNanos(lasting);
        TimeUnit.NANOSECONDS.sleep(Math.max(0, end - System.nanoTime()));
        for (Thread call : calls) {
            call.join();
        }
    }

    private void talk(CompletableFuture<Void> ready, AtomicBoolean talking, Figures figures) {
        try (BenchCall call = new BenchCall()) {
            HttpResponse<String> answer = offer(call);
            call.untilAnswered(answer.body(), System.nanoTime() + PATIENCE.toNanos());
            ready.complete(null);
            call.speakOn(talking::get, figures.roundTrips, figures.lost);
            hangUp(answer);
        } catch (IOException e) {
            ready.complete(null);
            figures.late.increment();
            System.err.println("a call that should go on does not: " + e.getMessage());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    // Times run from when the call was due, so that a generator that falls behind hides nothing.
    private void call(long due, Figures figures) {
        try (BenchCall call = new BenchCall()) {
            HttpResponse<String> answer = offer(call);
            if (answer.statusCode() != 201) {
                boolean told = answer.headers().firstValue("Retry-After").isPresent();
                if (told) {
                    record(figures.refused, due);
                } else {
                    figures.late.increment();
                }
                return;
            }
            record(figures.post, due);
            call.untilAnswered(answer.body(), due + PATIENCE.toNanos());
            record(figures.firstAudio, due);
            hangUp(answer);
        } catch (IOException _) {
            figures.late.increment();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpResponse<String> offer(BenchCall call) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(base.resolve(CALLS))
                        .header("Content-Type", "application/sdp")
                        .timeout(PATIENCE)
                        .POST(BodyPublishers.ofString(call.offer()))
                        .build(),
                BodyHandlers.ofString());
    }

    private void hangUp(HttpResponse<String> answer) throws IOException, InterruptedException {
        http.send(
                HttpRequest.newBuilder(
                                base.resolve(answer.headers().firstValue("Location").orElseThrow()))
                        .timeout(PATIENCE)
                        .DELETE()
                        .build(),
                BodyHandlers.discarding());
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
