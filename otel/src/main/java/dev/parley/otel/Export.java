package dev.parley.otel;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.HashMap;
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
 */
record Export(OpenTelemetrySdk sdk, SpanProcessor spans, Resource resource) {
    private static final String ENDPOINT_VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT";

    /** Sets it up, or answers null when nothing is to be exported. */
    static @Nullable Export find(
            String serviceName, Map<String, String> environment, TelemetrySettings settings) {
        if (settings.endpoint().isEmpty()
                && environment.getOrDefault(ENDPOINT_VARIABLE, "").isBlank()) {
            return null;
        }
        Map<String, String> properties = new HashMap<>();
        properties.put("otel.service.name", serviceName);
        properties.put("otel.logs.exporter", "none");
        AtomicReference<SpanProcessor> spans = new AtomicReference<>(SpanProcessor.composite());
        AtomicReference<Resource> resource = new AtomicReference<>(Resource.getDefault());
        OpenTelemetrySdk sdk =
                AutoConfiguredOpenTelemetrySdk.builder()
                        .disableShutdownHook()
                        .addPropertiesSupplier(() -> properties)
                        .addPropertiesCustomizer(_ -> told(settings))
                        .addSpanProcessorCustomizer(
                                (processor, _) -> {
                                    spans.set(processor);
                                    return processor;
                                })
                        .addResourceCustomizer(
                                (found, _) -> {
                                    resource.set(found);
                                    return found;
                                })
                        .build()
                        .getOpenTelemetrySdk();
        return new Export(sdk, spans.get(), resource.get());
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
