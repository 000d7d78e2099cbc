package dev.parley.otel;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * OpenTelemetry's SDK as its own environment variables and our settings configure it; the settings
 * win. What waits to be exported is bounded, and what does not fit is dropped.
 *
 * @param sdk exports metrics
 * @param spans takes spans for export; shut down with the SDK
 * @param resource says what this process is
 * @param watch knows what comes of it
 */
record Export(OpenTelemetrySdk sdk, SpanProcessor spans, Resource resource, ExportWatch watch) {
    private static final String ENDPOINT_VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private static final String QUEUE_PROPERTY = "otel.bsp.max.queue.size";
    private static final int QUEUE = 2_048;

    /** Sets it up, or answers null when nothing is to be exported. */
    static @Nullable Export find(
            String serviceName, Map<String, String> environment, TelemetrySettings settings) {
        String endpoint =
                settings.endpoint().isEmpty()
                        ? environment.getOrDefault(ENDPOINT_VARIABLE, "")
                        : settings.endpoint();
        if (endpoint.isBlank()) {
            return null;
        }
        Map<String, String> properties = properties(environment);
        properties.putIfAbsent("otel.service.name", serviceName);
        properties.put("otel.logs.exporter", "none");
        // What is reused by default is still being written when an answer does not come in time.
        properties.putIfAbsent("otel.java.exporter.memory_mode", "immutable_data");
        ExportWatch watch = new ExportWatch(endpoint, System::nanoTime);
        AtomicReference<SpanProcessor> spans = new AtomicReference<>(SpanProcessor.composite());
        AtomicReference<Resource> resource = new AtomicReference<>(Resource.getDefault());
        OpenTelemetrySdk sdk =
                AutoConfiguredOpenTelemetrySdk.builder()
                        .disableShutdownHook()
                        .addPropertiesSupplier(() -> properties)
                        .addPropertiesCustomizer(_ -> told(settings))
                        .addSpanExporterCustomizer((exporter, _) -> watch.watched(exporter))
                        .addMetricExporterCustomizer((exporter, _) -> watch.watched(exporter))
                        .addSpanProcessorCustomizer(
                                (processor, config) -> {
                                    SpanProcessor bounded =
                                            watch.bounded(
                                                    processor,
                                                    config.getInt(QUEUE_PROPERTY, QUEUE));
                                    spans.set(bounded);
                                    return bounded;
                                })
                        .addResourceCustomizer(
                                (found, _) -> {
                                    resource.set(found);
                                    return found;
                                })
                        .build()
                        .getOpenTelemetrySdk();
        return new Export(sdk, spans.get(), resource.get(), watch);
    }

    /** Variables such as OTEL_BSP_SCHEDULE_DELAY by the names that the SDK has for them. */
    private static Map<String, String> properties(Map<String, String> environment) {
        Map<String, String> properties = new HashMap<>();
        environment.forEach(
                (name, value) -> {
                    if (name.startsWith("OTEL_") && !value.isBlank()) {
                        properties.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value);
                    }
                });
        return properties;
    }

    /** These win over the environment. */
    private static Map<String, String> told(TelemetrySettings settings) {
        return settings.endpoint().isEmpty()
                ? Map.of()
                : Map.of(
                        "otel.exporter.otlp.endpoint",
                        settings.endpoint(),
                        "otel.exporter.otlp.protocol",
                        settings.protocol().text());
    }
}
