package dev.parley.bench.relay;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the command line of the relay bench says.
 *
 * @param others contestants beside our two
 * @param json where to write the figures as JSON
 * @param rounds interleaved rounds; medians are reported
 * @param windowNanos how long each measurement takes
 * @param only the contestants that take part, empty for all
 * @param loads what they are put under
 * @param starts how often to start a relay with and without its start-up cache
 * @param soakSeconds how long to soak the batched relay instead of comparing, 0 for not at all
 * @param referenceSource the reference relay in C; one in Go may lie beside it
 */
record BenchOptions(
        List<Contestant> others,
        @Nullable Path json,
        int rounds,
        long windowNanos,
        List<String> only,
        List<Load> loads,
        int starts,
        int soakSeconds,
        Path referenceSource) {
    static final String USAGE =
            """
            usage: bench relay [--quick] [--rounds N] [--millis N] [--json FILE]
                               [--contestant NAME='COMMAND with {public} and {sink}']...
                               [--reference-source FILE] [--only NAME,...] [--soak SECONDS]
                               [--rates N,...] [--sizes N,...] [--flows N,...] [--starts N]
              --quick        within a minute: fewer loads, short windows
              --rounds       interleaved rounds whose medians are shown (default 5)
              --millis       length of each measurement (default 2000)
              --json         also writes the figures to a file
              --contestant   a further relay with the same wire behaviour
              --reference-source
                             a relay in C that joins in as "reference" when the file and gcc are
                             there, and as "go" reference_relay.go from the same folder when go is;
                             default: the variable PARLEY_REFERENCE_RELAY, otherwise
                             shared/relaybench/reference_relay.c in a folder beside the checkout
              --only         leaves out every other contestant, ours included; two-hops, which
                             takes part when it is named, is a relay behind one of another cluster
              --rates        round trips a second, or max for as many as go
              --sizes        payload bytes (default 172)
              --flows        clients (default 1000); these three replace the usual loads by
                             every combination of what they name
              --starts       how often to start ./parley relay under load, with and without its
                             start-up cache (default 3, with --quick 1, with --only 0)
              --soak         runs the batched relay alone under changing load, then says whether
                             it lost, leaked or grew""";

    private static final String REFERENCE_VARIABLE = "PARLEY_REFERENCE_RELAY";
    private static final String BESIDE_THE_CHECKOUT = "../shared/relaybench/reference_relay.c";

    private static final int DEFAULT_ROUNDS = 5;
    private static final int DEFAULT_MILLIS = 2_000;
    private static final int QUICK_ROUNDS = 3;
    private static final int QUICK_MILLIS = 400;
    private static final int DEFAULT_STARTS = 3;

    /**
     * Reads the command line.
     *
     * @throws IllegalArgumentException when it cannot be understood; the message says why
     */
    static BenchOptions parse(String[] arguments, Map<String, String> environment) {
        List<Contestant> others = new ArrayList<>();
        List<String> only = List.of();
        Path json = null;
        int rounds = 0;
        int millis = 0;
        boolean quick = false;
        int soak = 0;
        int starts = -1;
        List<Integer> rates = List.of();
        List<Integer> sizes = List.of();
        List<Integer> flows = List.of();
        Path referenceSource =
                Path.of(environment.getOrDefault(REFERENCE_VARIABLE, BESIDE_THE_CHECKOUT));
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--quick" -> quick = true;
                case "--json" -> json = Path.of(value(arguments, ++i));
                case "--rounds" -> rounds = number(arguments, ++i);
                case "--millis" -> millis = number(arguments, ++i);
                case "--soak" -> soak = number(arguments, ++i);
                case "--starts" -> starts = number(arguments, ++i);
                case "--rates" -> rates = numbers(arguments, ++i);
                case "--sizes" -> sizes = numbers(arguments, ++i);
                case "--flows" -> flows = numbers(arguments, ++i);
                case "--only" -> only = List.of(value(arguments, ++i).split(","));
                case "--reference-source" -> referenceSource = Path.of(value(arguments, ++i));
                case "--contestant" -> others.add(contestant(value(arguments, ++i)));
                default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
            }
        }
        int defaultRounds = quick ? QUICK_ROUNDS : DEFAULT_ROUNDS;
        int defaultMillis = quick ? QUICK_MILLIS : DEFAULT_MILLIS;
        return new BenchOptions(
                List.copyOf(others),
                json,
                rounds == 0 ? defaultRounds : rounds,
                TimeUnit.MILLISECONDS.toNanos(millis == 0 ? defaultMillis : millis),
                only,
                loads(quick, rates, sizes, flows),
                starts < 0 ? defaultStarts(quick, only) : starts,
                soak,
                referenceSource);
    }

    private static int defaultStarts(boolean quick, List<String> only) {
        if (!only.isEmpty()) {
            return 0;
        }
        return quick ? 1 : DEFAULT_STARTS;
    }

    private static List<Load> loads(
            boolean quick, List<Integer> rates, List<Integer> sizes, List<Integer> flows) {
        if (rates.isEmpty() && sizes.isEmpty() && flows.isEmpty()) {
            return quick ? Load.quick() : Load.usual();
        }
        return Load.every(
                rates,
                sizes.isEmpty() ? Load.VOICE_BYTES : sizes,
                flows.isEmpty() ? Load.FLOWS : flows);
    }

    boolean takesPart(Contestant contestant) {
        return only.isEmpty() || only.contains(contestant.name());
    }

    private static String value(String[] arguments, int i) {
        if (i >= arguments.length) {
            throw new IllegalArgumentException(arguments[i - 1] + " wants a value");
        }
        return arguments[i];
    }

    private static int number(String[] arguments, int i) {
        return number(arguments[i - 1], value(arguments, i));
    }

    private static List<Integer> numbers(String[] arguments, int i) {
        List<Integer> numbers = new ArrayList<>();
        for (String word : value(arguments, i).split(",", -1)) {
            boolean maximum = arguments[i - 1].equals("--rates") && word.equals("max");
            numbers.add(maximum ? Load.MAX : number(arguments[i - 1], word));
        }
        return numbers;
    }

    private static int number(String option, String text) {
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Falls through to the one message for both.
        }
        throw new IllegalArgumentException(
                option + " wants a whole number above 0, not \"" + text + "\"");
    }

    private static Contestant contestant(String text) {
        int equals = text.indexOf('=');
        if (equals < 1 || text.substring(equals + 1).isBlank()) {
            throw new IllegalArgumentException(
                    "--contestant wants NAME='COMMAND with {public} and {sink}'");
        }
        return Contestant.other(text.substring(0, equals), text.substring(equals + 1));
    }
}
