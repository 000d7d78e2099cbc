package dev.parley.otel;

import dev.parley.otel.trace.CallTrace;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long something took, for OTLP and for Prometheus alike, with a call that is an example of it.
 * Any thread may record.
 */
public final class Histogram {
    /** From a packet's time on the wire to a call that nobody waits for, in seconds. */
    static final double[] BOUNDS = {
        0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 1.5,
        2.5, 5, 10, 30, 60, 300, 1_800, 7_200
    };

    private final List<String> labels;
    private final DoubleHistogram exported;
    private final io.prometheus.metrics.core.metrics.Histogram scraped;

    Histogram(Metric metric, Meter meter, io.prometheus.metrics.core.metrics.Histogram scraped) {
        this.labels = metric.labels();
        this.scraped = scraped;
        this.exported =
                meter.histogramBuilder(metric.text())
                        .setDescription(metric.meaning())
                        .setUnit(metric.unit())
                        .setExplicitBucketBoundariesAdvice(Arrays.stream(BOUNDS).boxed().toList())
                        .build();
    }

    /** Records something that belongs to no call. */
    public void record(double seconds, String... labelValues) {
        record(seconds, null, labelValues);
    }

    /**
     * Records something of a call.
     *
     * @param call whose trace shows how it came about, if it is exported
     * @param labelValues one for each label of the metric
     */
    public void record(double seconds, @Nullable CallTrace call, String... labelValues) {
        if (call == null || !call.isSampled()) {
            exported.record(seconds, attributes(labelValues), Context.root());
            scraped.labelValues(labelValues).observe(seconds);
            return;
        }
        SpanContext span = call.call();
        exported.record(seconds, attributes(labelValues), Context.root().with(Span.wrap(span)));
        scraped.labelValues(labelValues)
                .observeWithExemplar(
                        seconds,
                        Labels.of("trace_id", span.getTraceId(), "span_id", span.getSpanId()));
    }

    private Attributes attributes(String... values) {
        AttributesBuilder attributes = Attributes.builder();
        for (int i = 0; i < values.length; i++) {
            attributes.put(labels.get(i), values[i]);
        }
        return attributes.build();
    }
}
