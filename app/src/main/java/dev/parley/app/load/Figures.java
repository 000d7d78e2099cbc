package dev.parley.app.load;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Numbers for people and for JSON. */
final class Figures {
    private static final double MICROS_PER_MILLI = 1_000;

    private Figures() {}

    /** A percentile of a histogram of microseconds; NaN when it is empty. */
    static double millis(Histogram micros, double percentile) {
        return micros.getTotalCount() == 0
                ? Double.NaN
                : micros.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }

    static double maxMillis(Histogram micros) {
        return micros.getTotalCount() == 0 ? Double.NaN : micros.getMaxValue() / MICROS_PER_MILLI;
    }

    static String text(double number) {
        if (Double.isNaN(number)) {
            return "-";
        }
        if (number == Math.rint(number) && Math.abs(number) < 1e15) {
            return Long.toString((long) number);
        }
        return String.format(Locale.ROOT, Math.abs(number) < 1 ? "%.3f" : "%.1f", number);
    }

    static String percent(double share) {
        return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "%.3f %%", 100 * share);
    }
}
