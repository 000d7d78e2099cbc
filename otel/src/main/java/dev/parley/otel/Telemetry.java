package dev.parley.otel;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A process's window to OpenTelemetry, set up once in {@code main} and handed to its services.
 * Values are pulled by the exporter, so a service keeps its own counters in whatever form its
 * threads write cheapest, and nothing of telemetry stands on a packet's way.
 *
 * <p>Export is set by OpenTelemetry's own environment variables: with {@code
 * OTEL_EXPORTER_OTLP_ENDPOINT} set, metrics go there; without it nothing is exported and only
 * {@link #snapshot} reads the values.
 */
public final class Telemetry implements AutoCloseable {
    private static final String ENDPOINT_VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private static final long FLUSH_SECONDS = 2;

    private final @Nullable OpenTelemetrySdk sdk;
    private final Meter meter;
    private final Map<String, LongSupplier> values = new ConcurrentHashMap<>();

    private Telemetry(@Nullable OpenTelemetrySdk sdk) {
        this.sdk = sdk;
        OpenTelemetry api = sdk == null ? OpenTelemetry.noop() : sdk;
        this.meter = api.getMeter("parley");
    }

    /**
     * Sets up the SDK for one process.
     *
     * @param serviceName the resource attribute {@code service.name}, unless {@code
     *     OTEL_SERVICE_NAME} overrides it
     * @param environment the process's environment variables
     */
    public static Telemetry start(String serviceName, Map<String, String> environment) {
        if (environment.getOrDefault(ENDPOINT_VARIABLE, "").isBlank()) {
            return none();
        }
        return new Telemetry(
                AutoConfiguredOpenTelemetrySdk.builder()
                        .disableShutdownHook()
                        .addPropertiesSupplier(() -> Map.of("otel.service.name", serviceName))
                        .build()
                        .getOpenTelemetrySdk());
    }

    /** Exports nothing; {@link #snapshot} still works. */
    public static Telemetry none() {
        return new Telemetry(null);
    }

    /**
     * Registers one monotonic counter with a closed set of label values.
     *
     * @param name OpenTelemetry metric name, such as {@code parley.relay.drops}
     * @param unit UCUM unit, such as {@code {packet}}
     * @param labelKey attribute that tells the series apart
     * @param series label value to its current total; read by the exporter's thread
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
     * @param name OpenTelemetry metric name, such as {@code parley.relay.flows}
     * @param unit UCUM unit
     * @param value current value; read by the exporter's thread
     */
    public void gauge(String name, String description, String unit, LongSupplier value) {
        values.put(name, value);
        var _ =
                meter.gaugeBuilder(name)
                        .ofLongs()
                        .setDescription(description)
                        .setUnit(unit)
                        .buildWithCallback(measurement -> measurement.record(value.getAsLong()));
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
        if (sdk != null) {
            var _ = sdk.shutdown().join(FLUSH_SECONDS, TimeUnit.SECONDS);
        }
    }
}
