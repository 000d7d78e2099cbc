package dev.parley.otel;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import java.util.Collection;

/** Exports metrics, and lets what comes of it be seen. */
record WatchedMetrics(MetricExporter inner, ExportWatch watch) implements MetricExporter {
    @Override
    public CompletableResultCode export(Collection<MetricData> metrics) {
        return watch.watch(ExportWatch.Signal.METRICS, 1, inner.export(metrics));
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
        return inner.getAggregationTemporality(type);
    }

    @Override
    public Aggregation getDefaultAggregation(InstrumentType type) {
        return inner.getDefaultAggregation(type);
    }

    @Override
    public MemoryMode getMemoryMode() {
        return inner.getMemoryMode();
    }

    @Override
    public CompletableResultCode flush() {
        return inner.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return inner.shutdown();
    }
}
