package dev.parley.bench.all;

import java.util.List;
import java.util.Set;

/** Several rounds of one figure. */
record Spread(double median, double low, double high) {
    /** Less than this is no news: machines differ from day to day. */
    private static final double NOTABLE = 1.2;

    /** Ends of the names of which more is better; of everything else less is. */
    private static final Set<String> BETTER_HIGH = Set.of(" packets/s", " setups/s", " a core");

    static Spread of(List<Double> rounds) {
        List<Double> sorted = rounds.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median =
                sorted.size() % 2 == 1
                        ? sorted.get(middle)
                        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        return new Spread(median, sorted.getFirst(), sorted.getLast());
    }

    /** Whether a new median is worse than all of these, and notably so. */
    boolean isWorse(String name, double now) {
        return isBetterHigh(name)
                ? now < low && now * NOTABLE < median
                : now > high && now > median * NOTABLE;
    }

    private static boolean isBetterHigh(String name) {
        return BETTER_HIGH.stream().anyMatch(name::endsWith);
    }
}
