package dev.parley.bench.all;

import java.util.List;

/** Several rounds of one figure. */
record Spread(double median, double low, double high) {
    /** Less than this is no news: machines differ from day to day. */
    private static final double NOTABLE = 1.2;

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
        return isRate(name)
                ? now < low && now * NOTABLE < median
                : now > high && now > median * NOTABLE;
    }

    /** Of rates more is better, of everything else less. */
    private static boolean isRate(String name) {
        return name.endsWith("/s");
    }
}
