package dev.parley.bench.soak;

import dev.parley.app.load.Tally;
import org.HdrHistogram.Histogram;

/**
 * One minute of a soak.
 *
 * @param number from 1
 * @param calls up at its end
 * @param connected calls that got through in it
 * @param failed calls that did not
 * @param fastestMillis p1 of the round trip, agent and pacer included
 * @param roundTripMillis p50
 * @param roundTripP99Millis p99
 * @param pacingP99Millis how far packets came from 20 ms after the one before
 * @param lateP99Millis how late the generator itself was
 */
record Minute(
        int number,
        int calls,
        long connected,
        long failed,
        double fastestMillis,
        double roundTripMillis,
        double roundTripP99Millis,
        double pacingP99Millis,
        double lateP99Millis,
        Holdings holdings) {
    static Minute of(int number, int calls, Tally tally, Holdings holdings) {
        return new Minute(
                number,
                calls,
                tally.connected(),
                tally.failed(),
                millis(tally.echo(), 1),
                millis(tally.echo(), 50),
                millis(tally.echo(), 99),
                millis(tally.pacing(), 99),
                millis(tally.lateness(), 99),
                holdings);
    }

    private static double millis(Histogram micros, double percentile) {
        return micros.getTotalCount() == 0
                ? Double.NaN
                : micros.getValueAtPercentile(percentile) / 1e3;
    }
}
