package dev.parley.relay;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.runtime.udp.UdpCounters;
import dev.parley.runtime.udp.UdpPort;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** What a relay's workers count, summed up for the exporter's thread and for the last log line. */
final class RelayMetrics {
    private final List<RelayLoop> loops;

    RelayMetrics(List<RelayLoop> loops) {
        this.loops = loops;
    }

    /**
     * Registers everything.
     *
     * @param slotsPerWorker slots of each worker's flow table
     */
    void register(Telemetry telemetry, int slotsPerWorker) {
        telemetry.counters(Metric.RELAY_FORWARDS, series(Verdict::isForwarded));
        telemetry.counters(Metric.RELAY_DROPS, series(Verdict::isDropped));
        telemetry.counters(Metric.RELAY_HOLDS, series(verdict -> verdict == Verdict.UP_HELD));
        telemetry.counters(
                Metric.RELAY_LEG_PROBES,
                series(verdict -> verdict == Verdict.LEG_PROBE || verdict == Verdict.LEG_ANSWER));
        telemetry.gauge(
                Metric.RELAY_LEGS_LOST,
                () -> loops.stream().mapToLong(loop -> loop.legs().lost()).sum());
        telemetry.counters(Metric.RELAY_UDP_REFUSALS, udpSeries());
        telemetry.gauge(Metric.RELAY_FLOWS, this::flows);
        telemetry.gauge(
                Metric.RELAY_FLOW_TABLE_LOAD,
                () -> flows() * 100 / ((long) slotsPerWorker * loops.size()));
        telemetry.seconds(Metric.RELAY_WORKER_BUSY, busy());
        telemetry.counters(
                Metric.RELAY_BATCHES,
                histogram(RelayCounters.BATCH_BUCKETS, RelayCounters::batches));
        telemetry.counters(
                Metric.RELAY_FORWARD_TIME_SAMPLES,
                histogram(RelayCounters.FORWARD_TIME_BUCKETS, RelayCounters::forwardTimes));
    }

    private Map<String, LongSupplier> series(Predicate<Verdict> which) {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (Verdict verdict : Verdict.values()) {
            if (which.test(verdict)) {
                series.put(verdict.label(), () -> count(verdict));
            }
        }
        return series;
    }

    private Map<String, LongSupplier> busy() {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (RelayLoop loop : loops) {
            series.put(Integer.toString(series.size()), loop.counters()::busyNanos);
        }
        return series;
    }

    private interface Bucket {
        long count(RelayCounters counters, int bucket);
    }

    // Cumulative, as Prometheus wants its buckets.
    private Map<String, LongSupplier> histogram(int buckets, Bucket count) {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (int last = 0; last < buckets; last++) {
            int end = last + 1;
            String bound = end == buckets ? "+Inf" : Long.toString(1L << last);
            series.put(
                    bound,
                    () -> IntStream.range(0, end).mapToLong(bucket -> sum(count, bucket)).sum());
        }
        return series;
    }

    private long sum(Bucket count, int bucket) {
        return loops.stream().mapToLong(loop -> count.count(loop.counters(), bucket)).sum();
    }

    private Map<String, LongSupplier> udpSeries() {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (UdpCounters.Reason reason : UdpCounters.Reason.values()) {
            series.put(reason.name().toLowerCase(Locale.ROOT), () -> count(reason));
        }
        return series;
    }

    long count(Verdict verdict) {
        return loops.stream().mapToLong(loop -> loop.counters().count(verdict)).sum();
    }

    private long count(UdpCounters.Reason reason) {
        long sum = 0;
        for (RelayLoop loop : loops) {
            sum += loop.upstreamPort().counters().count(reason);
            for (UdpPort port : loop.publicPorts()) {
                sum += port.counters().count(reason);
            }
            UdpPort leg = loop.findLegPort();
            sum += leg == null ? 0 : leg.counters().count(reason);
        }
        return sum;
    }

    private long flows() {
        return loops.stream().mapToLong(loop -> loop.counters().flows()).sum();
    }

    /** One row for each worker, for people. */
    List<Map<String, Object>> rows() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (RelayLoop loop : loops) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("worker", rows.size());
            row.put("flows", loop.counters().flows());
            row.put("forwarded", count(loop, Verdict::isForwarded));
            row.put("dropped", count(loop, Verdict::isDropped));
            row.put("state", loop.hasFailed() ? "failed" : "running");
            rows.add(row);
        }
        return rows;
    }

    private static long count(RelayLoop loop, Predicate<Verdict> which) {
        return Arrays.stream(Verdict.values())
                .filter(which)
                .mapToLong(loop.counters()::count)
                .sum();
    }

    /** Every count that is not 0, for people. */
    String summary() {
        StringBuilder summary = new StringBuilder("flows=").append(flows());
        for (Verdict verdict : Verdict.values()) {
            append(summary, verdict.label(), count(verdict));
        }
        udpSeries().forEach((label, value) -> append(summary, label, value.getAsLong()));
        return summary.toString();
    }

    private static void append(StringBuilder summary, String label, long count) {
        if (count != 0) {
            summary.append(' ').append(label).append('=').append(count);
        }
    }
}
