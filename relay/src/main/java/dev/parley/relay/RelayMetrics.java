package dev.parley.relay;

import dev.parley.otel.Telemetry;
import dev.parley.runtime.udp.UdpCounters;
import dev.parley.runtime.udp.UdpPort;
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
        telemetry.counters(
                "parley.relay.forwards",
                "Datagrams forwarded, by how their route was found",
                "{packet}",
                "route",
                series(Verdict::isForwarded));
        telemetry.counters(
                "parley.relay.drops",
                "Datagrams not forwarded, by reason",
                "{packet}",
                "reason",
                series(Verdict::isDropped));
        telemetry.counters(
                "parley.relay.holds",
                "Datagrams held while their flow was looked for, to be forwarded or dropped",
                "{packet}",
                "reason",
                series(verdict -> verdict == Verdict.UP_HELD));
        telemetry.counters(
                "parley.relay.udp.refusals",
                "Datagrams that the operating system refused, by reason",
                "{packet}",
                "reason",
                udpSeries());
        telemetry.gauge("parley.relay.flows", "Client addresses remembered", "{flow}", this::flows);
        telemetry.gauge(
                "parley.relay.flow_table.load",
                "Share of the flow tables' slots that are taken",
                "%",
                () -> flows() * 100 / ((long) slotsPerWorker * loops.size()));
        telemetry.counters(
                "parley.relay.batches",
                "Batches received, by how many datagrams they had at most",
                "{batch}",
                "le",
                histogram(RelayCounters.BATCH_BUCKETS, RelayCounters::batches));
        telemetry.counters(
                "parley.relay.forward_time.samples",
                "Sampled turns, by how many microseconds they took at most",
                "{turn}",
                "le",
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
        }
        return sum;
    }

    private long flows() {
        return loops.stream().mapToLong(loop -> loop.counters().flows()).sum();
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
