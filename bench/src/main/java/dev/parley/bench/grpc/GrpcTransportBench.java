package dev.parley.bench.grpc;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToDoubleFunction;

/**
 * Which gRPC transport carries Converse streams best, per side. {@code load} measures processor
 * time, wake-ups and latency of echo streams, {@code probes} asks for the rest of the contract.
 * Both print Markdown, and so does {@code balance}, a simulation of who gets the next call. Every
 * sample runs in two fresh processes, one per side.
 *
 * <p>Arguments: {@code load|probes|balance [--streams 1,50,200] [--seconds 20] [--rounds 3] [--idle
 * 120] [--pairs netty/netty,helidon/netty]}; a pair is client/server.
 */
public final class GrpcTransportBench {
    private static final String LOAD_PAIRS =
            "netty/netty,netty-nio/netty-nio,netty-virtual/netty,netty/netty-virtual,"
                    + "netty-pool/netty-pool,netty/helidon,helidon/helidon";
    private static final String PROBE_PAIRS =
            "netty/netty,helidon/netty,netty/helidon,helidon/helidon";

    private record Pair(String client, String server) {
        static List<Pair> listed(String pairs) {
            return Arrays.stream(pairs.split(",", -1))
                    .map(pair -> pair.split("/", -1))
                    .map(ends -> new Pair(ends[0], ends[1]))
                    .toList();
        }
    }

    private final PrintStream out;
    private final Map<String, String> options;

    private GrpcTransportBench(PrintStream out, Map<String, String> options) {
        this.out = out;
        this.options = options;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 1; i + 1 < arguments.length; i += 2) {
            options.put(arguments[i].replaceFirst("^--", ""), arguments[i + 1]);
        }
        GrpcTransportBench bench = new GrpcTransportBench(System.out, options);
        switch (arguments.length == 0 ? "" : arguments[0]) {
            case "load" -> bench.load();
            case "probes" -> bench.probes();
            case "balance" -> BalanceBench.print(bench.out);
            case "sample" -> bench.sample();
            default -> {
                bench.out.println(
                        "usage: load|probes|balance [--streams 1,50,200] [--seconds 20] [--rounds 3]"
                                + " [--idle 120] [--pairs client/server,...]");
                System.exit(2);
            }
        }
        System.exit(0);
    }

    private String option(String name, String orElse) {
        return options.getOrDefault(name, orElse);
    }

    private void probes() throws Exception {
        Duration idle = Duration.ofSeconds(Long.parseLong(option("idle", "120")));
        Map<Pair, Future<Map<String, String>>> running = new LinkedHashMap<>();
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            for (Pair pair : Pair.listed(option("pairs", PROBE_PAIRS))) {
                Callable<Map<String, String>> probes =
                        () ->
                                ContractProbes.run(
                                        Transport.named(pair.client()),
                                        Transport.named(pair.server()),
                                        idle);
                running.put(pair, executor.submit(probes));
            }
            for (var entry : running.entrySet()) {
                Pair pair = entry.getKey();
                out.printf("%nclient %s, server %s%n%n", pair.client(), pair.server());
                entry.getValue()
                        .get()
                        .forEach(
                                (question, answer) -> out.println("- " + question + ": " + answer));
            }
        }
    }

    private void load() throws Exception {
        String seconds = option("seconds", "20");
        int rounds = Integer.parseInt(option("rounds", "3"));
        List<Pair> pairs = Pair.listed(option("pairs", LOAD_PAIRS));
        for (String streams : option("streams", "1,50,200").split(",", -1)) {
            Map<Pair, List<LoadSample>> samples = new LinkedHashMap<>();
            for (int round = 0; round < rounds; round++) {
                for (Pair pair : pairs) {
                    samples.computeIfAbsent(pair, _ -> new ArrayList<>())
                            .add(inFreshProcess(pair, streams, seconds));
                }
            }
            print(streams, samples);
        }
    }

    /** One sample of the transport that is used, by the names of its figures. */
    public static Map<String, Double> sample(int streams, int seconds) throws IOException {
        LoadSample sample =
                inFreshProcess(
                        new Pair("netty", "netty"),
                        Integer.toString(streams),
                        Integer.toString(seconds));
        return Map.of(
                "grpc.client_us_per_message", sample.clientCpu(),
                "grpc.server_us_per_message", sample.serverCpu(),
                "grpc.round_trip_p50_us", sample.p50());
    }

    private static LoadSample inFreshProcess(Pair pair, String streams, String seconds)
            throws IOException {
        try (ChildProcess child =
                new ChildProcess(
                        GrpcTransportBench.class,
                        List.of(
                                "sample",
                                "--client",
                                pair.client(),
                                "--server",
                                pair.server(),
                                "--streams",
                                streams,
                                "--seconds",
                                seconds))) {
            return LoadSample.ofLine(child.readAnswer());
        }
    }

    private void sample() throws Exception {
        LoadSample sample =
                LoadSample.take(
                        Transport.named(option("client", "netty")),
                        Transport.named(option("server", "netty")),
                        Integer.parseInt(option("streams", "1")),
                        Integer.parseInt(option("seconds", "20")));
        out.println(ChildProcess.ANSWER + sample.toLine());
    }

    private void print(String streams, Map<Pair, List<LoadSample>> samples) {
        out.printf(
                "%n%s streams; medians of %d%n%n",
                streams, samples.values().iterator().next().size());
        out.println(
                "| client | server | messages/s each way | kB/s each way | client cpu ms/s per stream"
                        + " | server cpu ms/s per stream | client cpu us/msg | server cpu us/msg"
                        + " | client wake-ups/msg"
                        + " | server wake-ups/msg | send call us | round trip p50 us | p99 us"
                        + " | client threads + virtual | server threads + virtual | faults |");
        out.println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
        samples.forEach(
                (pair, taken) ->
                        out.printf(
                                Locale.ROOT,
                                "| %s | %s | %.0f | %.0f | %.2f | %.2f | %.1f | %.1f | %.2f | %.2f | %.1f | %.0f | %.0f"
                                        + " | %.0f + %.0f | %.0f + %.0f | %s |%n",
                                pair.client(),
                                pair.server(),
                                median(taken, LoadSample::messages),
                                median(taken, LoadSample::bytes) / 1e3,
                                perStream(taken, streams, LoadSample::clientCpu),
                                perStream(taken, streams, LoadSample::serverCpu),
                                median(taken, LoadSample::clientCpu),
                                median(taken, LoadSample::serverCpu),
                                median(taken, LoadSample::clientWakeups),
                                median(taken, LoadSample::serverWakeups),
                                median(taken, LoadSample::sendCall),
                                median(taken, LoadSample::p50),
                                median(taken, LoadSample::p99),
                                median(taken, LoadSample::clientThreads),
                                median(taken, LoadSample::clientVirtualThreads),
                                median(taken, LoadSample::serverThreads),
                                median(taken, LoadSample::serverVirtualThreads),
                                String.join(
                                        "; ",
                                        taken.stream()
                                                .map(LoadSample::fault)
                                                .filter(fault -> !fault.isEmpty())
                                                .distinct()
                                                .toList())));
    }

    /** Milliseconds of processor time a second, of microseconds a message. */
    private static double perStream(
            List<LoadSample> samples, String streams, ToDoubleFunction<LoadSample> perMessage) {
        return median(
                samples,
                sample ->
                        perMessage.applyAsDouble(sample)
                                * sample.messages()
                                / Integer.parseInt(streams)
                                / 1e3);
    }

    private static double median(List<LoadSample> samples, ToDoubleFunction<LoadSample> figure) {
        double[] sorted = samples.stream().mapToDouble(figure).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
