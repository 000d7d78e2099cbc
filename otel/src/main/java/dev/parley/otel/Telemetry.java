package dev.parley.otel;

import dev.parley.otel.trace.RecentCalls;
import dev.parley.otel.trace.Tracing;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A process's window to OpenTelemetry, set up once in {@code main} and handed to its services.
 * Values are pulled by the exporter, so a service keeps its own counters in whatever form its
 * threads write cheapest, and nothing of telemetry stands on a packet's way.
 *
 * <p>Export is set by {@link TelemetrySettings} and by OpenTelemetry's own environment variables:
 * with {@code OTEL_EXPORTER_OTLP_ENDPOINT} set, metrics and spans go there; without either nothing
 * is exported.
 */
public final class Telemetry implements AutoCloseable {
    private static final long FLUSH_SECONDS = 5;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String SERVICE_PREFIX = "parley-";

    private final @Nullable Export export;
    private final String process;
    private final Resource resource;
    private final double traceRatio;
    private final @Nullable RecentCalls recentCalls;
    private final Meter meter;
    private final Scraped scraped = new Scraped();
    private final Map<String, LongSupplier> values = new ConcurrentHashMap<>();
    private final Map<Metric, Histogram> histograms = new ConcurrentHashMap<>();
    private final Map<String, Supplier<List<Map<String, Object>>>> views =
            new ConcurrentSkipListMap<>();

    private Telemetry(
            String process,
            Resource resource,
            @Nullable Export export,
            double traceRatio,
            @Nullable RecentCalls recentCalls) {
        this.process = process;
        this.resource = resource;
        this.export = export;
        this.traceRatio = traceRatio;
        this.recentCalls = recentCalls;
        OpenTelemetry api = export == null ? OpenTelemetry.noop() : export.sdk();
        this.meter = api.getMeter("dev.parley");
    }

    /**
     * Sets up the SDK for one process.
     *
     * @param process what it runs: the name of a service, or {@code up} for all of them; the
     *     resource attribute {@code service.name} is {@code parley-} and this, unless {@code
     *     OTEL_SERVICE_NAME} overrides it
     * @param environment the process's environment variables
     */
    public static Telemetry start(
            String process, Map<String, String> environment, TelemetrySettings settings) {
        String name = SERVICE_PREFIX + process;
        Export export = Export.find(name, environment, settings);
        Resource resource =
                export == null
                        ? Resource.getDefault().toBuilder().put("service.name", name).build()
                        : export.resource();
        RecentCalls recent =
                settings.recentCalls() > 0 ? new RecentCalls(settings.recentCalls()) : null;
        Telemetry telemetry =
                new Telemetry(process, resource, export, settings.traceRatio(), recent);
        if (export != null) {
            export.watch().register(telemetry);
        }
        return telemetry;
    }

    /** Exports and records nothing; {@link #snapshot} still works. */
    public static Telemetry none() {
        return new Telemetry("none", Resource.empty(), null, 0, null);
    }

    /**
     * A service's hand in the traces of calls.
     *
     * @param service its name, which spans carry also where several services share a process
     */
    public Tracing tracing(String service) {
        if (recentCalls == null) {
            return Tracing.none();
        }
        Resource of =
                service.equals(process)
                        ? resource
                        : resource.toBuilder()
                                .put("service.name", SERVICE_PREFIX + service)
                                .build();
        List<SpanProcessor> processors =
                export == null ? List.of(recentCalls) : List.of(recentCalls, export.spans());
        return Tracing.of(of, traceRatio, processors);
    }

    /** The calls that this process has seen lately; null when it records no spans. */
    public @Nullable RecentCalls recentCalls() {
        return recentCalls;
    }

    /**
     * Registers one monotonic counter with a closed set of label values.
     *
     * @param series label value to its current total; read by whoever exports
     */
    public void counters(Metric metric, Map<String, LongSupplier> series) {
        counters(
                metric.text(), metric.meaning(), metric.unit(), metric.labels().getFirst(), series);
    }

    /** Registers one monotonic counter of time, which is told in seconds. */
    public void seconds(Metric metric, Map<String, LongSupplier> nanos) {
        String label = metric.labels().getFirst();
        nanos.forEach(
                (value, total) ->
                        values.put(
                                metric.text() + "{" + label + "=" + value + "}", rounded(total)));
        scraped.seconds(metric, nanos);
        AttributeKey<String> key = AttributeKey.stringKey(label);
        exportSeconds(
                metric,
                told ->
                        nanos.forEach(
                                (value, total) ->
                                        told.record(
                                                total.getAsLong() / NANOS_PER_SECOND,
                                                Attributes.of(key, value))));
    }

    /** The same, of a metric without a label. */
    public void seconds(Metric metric, LongSupplier nanos) {
        values.put(metric.text(), rounded(nanos));
        scraped.seconds(metric, nanos);
        exportSeconds(metric, told -> told.record(nanos.getAsLong() / NANOS_PER_SECOND));
    }

    private static LongSupplier rounded(LongSupplier nanos) {
        return () -> TimeUnit.NANOSECONDS.toSeconds(nanos.getAsLong());
    }

    private void exportSeconds(Metric metric, Consumer<ObservableDoubleMeasurement> tell) {
        var _ =
                meter.counterBuilder(metric.text())
                        .ofDoubles()
                        .setDescription(metric.meaning())
                        .setUnit(metric.unit())
                        .buildWithCallback(tell);
    }

    /**
     * As {@link #counters(Metric, Map)}, for one that {@link Metric} is yet to list.
     *
     * @param name OpenTelemetry metric name, such as {@code parley.relay.drops}
     * @param unit UCUM unit, such as {@code {packet}}
     * @param labelKey attribute that tells the series apart
     */
    public void counters(
            String name,
            String description,
            String unit,
            String labelKey,
            Map<String, LongSupplier> series) {
        AttributeKey<String> key = AttributeKey.stringKey(labelKey);
        series.forEach(
                (label, value) -> values.put(name + "{" + labelKey + "=" + label + "}", value));
        scraped.counters(name, description, labelKey, series);
        var _ =
                meter.counterBuilder(name)
                        .setDescription(description)
                        .setUnit(unit)
                        .buildWithCallback(
                                measurement ->
                                        series.forEach(
                                                (label, value) ->
                                                        measurement.record(
                                                                value.getAsLong(),
                                                                Attributes.of(key, label))));
    }

    /**
     * Registers one value that goes up and down.
     *
     * @param value current value; read by whoever exports
     */
    public void gauge(Metric metric, LongSupplier value) {
        gauge(metric.text(), metric.meaning(), metric.unit(), value);
    }

    /** As {@link #gauge(Metric, LongSupplier)}, for one that {@link Metric} is yet to list. */
    public void gauge(String name, String description, String unit, LongSupplier value) {
        values.put(name, value);
        scraped.gauge(name, description, unit, value);
        var _ =
                meter.gaugeBuilder(name)
                        .ofLongs()
                        .setDescription(description)
                        .setUnit(unit)
                        .buildWithCallback(measurement -> measurement.record(value.getAsLong()));
    }

    /** A histogram, for what happens at most now and then: never per packet. */
    public Histogram histogram(Metric metric) {
        return histograms.computeIfAbsent(
                metric, each -> new Histogram(each, meter, scraped.histogram(each)));
    }

    /**
     * Shows rows on the operations page.
     *
     * @param name of the table
     * @param rows column to value, a number or a text; asked for by the page's thread, which may
     *     wait a little
     */
    public void view(String name, Supplier<List<Map<String, Object>>> rows) {
        views.put(name, rows);
    }

    /** Tables of the operations page. */
    Map<String, Supplier<List<Map<String, Object>>>> views() {
        return views;
    }

    /** What a Prometheus server is told. */
    PrometheusRegistry scraped() {
        return scraped.registry();
    }

    /** What runs in the process: a service, or {@code up}. */
    String process() {
        return process;
    }

    /**
     * Current values by {@code name{label=value}}, sorted; two services of one process share one
     * view.
     */
    public Map<String, Long> snapshot() {
        Map<String, Long> snapshot = new TreeMap<>();
        values.forEach((name, value) -> snapshot.put(name, value.getAsLong()));
        return snapshot;
    }

    /** Flushes what is pending, bounded in time, and stops exporting. */
    @Override
    public void close() {
        if (export == null) {
            return;
        }
        // The SDK waits for a collector that says nothing, for seconds in each of its parts: on a
        // thread that nobody waits for longer than this.
        Thread flushing =
                Thread.ofPlatform()
                        .daemon()
                        .name("telemetry-flush")
                        .start(() -> flush(export.sdk()));
        try {
            var _ = flushing.join(Duration.ofSeconds(FLUSH_SECONDS));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void flush(OpenTelemetrySdk sdk) {
        var _ = sdk.shutdown().join(FLUSH_SECONDS, TimeUnit.SECONDS);
    }
}
