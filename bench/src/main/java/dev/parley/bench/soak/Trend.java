package dev.parley.bench.soak;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Whether a quantity grows: Theil and Sen's slope, the median of the slopes between all pairs of
 * minutes, which a few disturbed minutes do not move.
 *
 * @param first median of the first third, or what was measured at the beginning
 * @param last the same of the end
 * @param perHour slope
 * @param most growth in an hour that is still called none
 */
record Trend(String what, double first, double last, double perHour, double most) {
    static Trend of(
            String what, List<Minute> minutes, ToDoubleFunction<Minute> value, double most) {
        double[] values = minutes.stream().mapToDouble(value).toArray();
        int third = Math.max(1, values.length / 3);
        return new Trend(
                what,
                median(Arrays.copyOf(values, third)),
                median(Arrays.copyOfRange(values, values.length - third, values.length)),
                60 * slope(values),
                most);
    }

    private static double slope(double[] values) {
        double[] slopes = new double[values.length * (values.length - 1) / 2];
        int next = 0;
        for (int i = 0; i < values.length; i++) {
            for (int j = i + 1; j < values.length; j++) {
                slopes[next++] = (values[j] - values[i]) / (j - i);
            }
        }
        return median(slopes);
    }

    private static double median(double[] values) {
        if (values.length == 0) {
            return 0;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    boolean grows() {
        return !(perHour <= most);
    }

    String row() {
        return String.format(
                Locale.ROOT,
                "| %s | %.1f | %.1f | %+.1f | %.1f | %s |",
                what,
                first,
                last,
                perHour,
                most,
                grows() ? "GROWS" : "no growth");
    }
}
