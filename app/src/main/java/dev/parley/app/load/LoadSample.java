package dev.parley.app.load;

import org.HdrHistogram.Histogram;

/**
 * One second of a run.
 *
 * @param seconds since its start
 * @param active calls connected at its end
 * @param roundTripMillis p50 of what {@link LoadResults} takes for it; NaN for none
 */
public record LoadSample(
        double seconds,
        int active,
        long connected,
        long failed,
        long sent,
        long received,
        double roundTripMillis,
        double roundTripP99Millis,
        double gapMillis,
        double lossDown,
        double lateP99Millis) {
    static LoadSample of(double seconds, int active, Tally tally) {
        Histogram trips = tally.echo.getTotalCount() > 0 ? tally.echo : tally.rtcp;
        double lost = tally.expectedDown - tally.arrivedDown;
        return new LoadSample(
                seconds,
                active,
                tally.connected,
                tally.failed + tally.brokenOff,
                tally.sent,
                tally.received,
                Figures.millis(trips, 50),
                Figures.millis(trips, 99),
                tally.gapMaxNanos / 1e6,
                tally.expectedDown == 0 ? 0 : Math.max(0, lost / tally.expectedDown),
                Figures.millis(tally.lateness, 99));
    }
}
