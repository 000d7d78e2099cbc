package dev.parley.bench;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * {@code ./parley bench srtp}: how long one packet takes to be protected and unprotected, and what
 * garbage that makes. A first argument sets the seconds of each measurement: there are three, after
 * three to warm up, of each side of each line. A busy machine needs more than one to compile.
 */
public final class SrtpBench {
    private static final String ALLOCATION = "gc.alloc.rate.norm";

    private SrtpBench() {}

    /** Takes about a minute unless told otherwise. */
    public static void main(String[] arguments) throws RunnerException {
        int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1;
        Collection<RunResult> results =
                new Runner(
                                new OptionsBuilder()
                                        .include(SrtpRoundTrip.class.getSimpleName())
                                        .forks(1)
                                        .warmupIterations(3)
                                        .warmupTime(TimeValue.seconds(seconds))
                                        .measurementIterations(3)
                                        .measurementTime(TimeValue.seconds(seconds))
                                        .addProfiler(GCProfiler.class)
                                        .verbosity(VerboseMode.SILENT)
                                        .shouldFailOnError(true)
                                        .jvmArgsAppend("--sun-misc-unsafe-memory-access=allow")
                                        .build())
                        .run();
        print(results);
    }

    private static void print(Collection<RunResult> results) {
        System.out.println(
                "SRTP: one RTP packet protected and unprotected, median ns, garbage in bytes");
        System.out.printf(
                "%-18s %14s %10s %10s %7s %15s %15s%n",
                "profile",
                "payload bytes",
                "parley ns",
                "jitsi ns",
                "ratio",
                "parley garbage",
                "jitsi garbage");
        Map<String, List<RunResult>> lines =
                results.stream()
                        .sorted(Comparator.comparing(SrtpBench::parameters))
                        .collect(Collectors.groupingBy(SrtpBench::parameters));
        lines.keySet().stream()
                .sorted()
                .forEach(key -> printLine(lines.getOrDefault(key, List.of())));
    }

    private static void printLine(List<RunResult> results) {
        RunResult parley = named(results, "parley");
        RunResult jitsi = named(results, "jitsi");
        System.out.printf(
                "%-18s %14s %10.0f %10.0f %7.2f %15.0f %15.0f%n",
                parley.getParams().getParam("profile"),
                parley.getParams().getParam("payloadLength"),
                median(parley),
                median(jitsi),
                median(parley) / median(jitsi),
                garbage(parley),
                garbage(jitsi));
    }

    private static String parameters(RunResult result) {
        String payload = result.getParams().getParam("payloadLength");
        return result.getParams().getParam("profile")
                + " "
                + "0".repeat(6 - payload.length())
                + payload;
    }

    private static RunResult named(List<RunResult> results, String name) {
        return results.stream()
                .filter(result -> result.getPrimaryResult().getLabel().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static double median(RunResult result) {
        return result.getPrimaryResult().getStatistics().getPercentile(50);
    }

    private static double garbage(RunResult result) {
        return Objects.requireNonNull(result.getSecondaryResults().get(ALLOCATION)).getScore();
    }
}
