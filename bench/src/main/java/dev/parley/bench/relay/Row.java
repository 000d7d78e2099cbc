package dev.parley.bench.relay;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One line of the report. Latencies are what the relay adds to the round trip, both its directions
 * together, over the same load sent straight to the sink; NaN where it does not apply.
 *
 * @param pps datagrams forwarded a second, two per round trip
 * @param cpuNanos processor time of the relay process per datagram forwarded
 * @param busy processor time of the relay process per time passed
 */
record Row(
        String contestant,
        Load load,
        double pps,
        double cpuNanos,
        double loss,
        double p50Micros,
        double p99Micros,
        double p999Micros,
        double allocatedBytes,
        double residentMib,
        double busy) {

    /** Column by column the median of several rounds of the same measurement. */
    static Row median(List<Row> rounds) {
        Row first = rounds.getFirst();
        return new Row(
                first.contestant,
                first.load,
                median(rounds, Row::pps),
                median(rounds, Row::cpuNanos),
                median(rounds, Row::loss),
                median(rounds, Row::p50Micros),
                median(rounds, Row::p99Micros),
                median(rounds, Row::p999Micros),
                median(rounds, Row::allocatedBytes),
                median(rounds, Row::residentMib),
                median(rounds, Row::busy));
    }

    static double median(List<Row> rounds, ToDoubleFunction<Row> column) {
        double[] values = rounds.stream().mapToDouble(column).sorted().toArray();
        int middle = values.length / 2;
        return values.length % 2 == 1
                ? values[middle]
                : Arrays.stream(values, middle - 1, middle + 1).average().orElse(Double.NaN);
    }
}
