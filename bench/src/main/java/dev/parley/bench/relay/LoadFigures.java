package dev.parley.bench.relay;

import org.HdrHistogram.Histogram;

/**
 * What one load showed.
 *
 * @param sent datagrams sent
 * @param received how many of them came back in the end
 * @param receivedInTime how many came back while sending went on
 * @param nanos how long sending went on
 * @param latencies round trips in nanoseconds
 */
record LoadFigures(long sent, long received, long receivedInTime, long nanos, Histogram latencies) {
    double loss() {
        return sent == 0 ? 0 : (sent - received) / (double) sent;
    }

    double micros(double percentile) {
        return latencies.getValueAtPercentile(percentile) / 1e3;
    }

    /** Round trips a second. */
    double rate() {
        return receivedInTime * 1e9 / nanos;
    }
}
