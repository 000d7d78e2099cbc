package dev.parley.otel;

import io.prometheus.metrics.config.ExemplarsProperties;
import io.prometheus.metrics.config.PrometheusProperties;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The metrics as a Prometheus server reads them. Two services of one kind in one process are told
 * apart by nobody: the later one's metrics take the place of the former's.
 */
final class Scraped {
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * By default nine in ten of many calls are left out, and the slow one that somebody will look
     * for as likely as any. Each bucket keeps its own for some seconds all the same.
     */
    private static final PrometheusProperties EXEMPLARS =
            PrometheusProperties.builder()
                    .exemplarProperties(
                            ExemplarsProperties.builder().sampleIntervalMilliseconds(1).build())
                    .build();

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Map<String, Collector> collectors = new ConcurrentHashMap<>();

    PrometheusRegistry registry() {
        return registry;
    }

    void counters(
            String name, String description, String labelKey, Map<String, LongSupplier> series) {
        register(
                name,
                CounterWithCallback.builder()
                        .name(name.replace('.', '_'))
                        .help(description)
                        .labelNames(Metric.prometheusLabel(labelKey))
                        .callback(
                                seen ->
                                        series.forEach(
                                                (label, value) ->
                                                        seen.call(
                                                                (double) value.getAsLong(), label)))
                        .build());
    }

    void seconds(Metric metric, Map<String, LongSupplier> nanos) {
        register(
                metric.text(),
                CounterWithCallback.builder()
                        .name(metric.prometheus())
                        .help(metric.meaning())
                        .labelNames(Metric.prometheusLabel(metric.labels().getFirst()))
                        .callback(
                                seen ->
                                        nanos.forEach(
                                                (label, total) ->
                                                        seen.call(
                                                                total.getAsLong()
                                                                        / NANOS_PER_SECOND,
                                                                label)))
                        .build());
    }

    void seconds(Metric metric, LongSupplier nanos) {
        register(
                metric.text(),
                CounterWithCallback.builder()
                        .name(metric.prometheus())
                        .help(metric.meaning())
                        .callback(seen -> seen.call(nanos.getAsLong() / NANOS_PER_SECOND))
                        .build());
    }

    void gauge(String name, String description, String unit, LongSupplier value) {
        register(
                name,
                GaugeWithCallback.builder()
                        .name(Metric.prometheus(name, unit))
                        .help(description)
                        .callback(seen -> seen.call((double) value.getAsLong()))
                        .build());
    }

    io.prometheus.metrics.core.metrics.Histogram histogram(Metric metric) {
        var made =
                io.prometheus.metrics.core.metrics.Histogram.builder(EXEMPLARS)
                        .name(metric.prometheus())
                        .help(metric.meaning())
                        .labelNames(
                                metric.labels().stream()
                                        .map(Metric::prometheusLabel)
                                        .toArray(String[]::new))
                        .classicUpperBounds(Histogram.BOUNDS)
                        .build();
        register(metric.text(), made);
        return made;
    }

    private synchronized void register(String name, Collector collector) {
        Collector former = collectors.put(name, collector);
        if (former != null) {
            registry.unregister(former);
        }
        registry.register(collector);
    }
}
