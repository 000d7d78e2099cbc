package dev.parley.otel;

import dev.parley.otel.trace.RecentCalls;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Calls and their spans as the operations page reads them. */
final class Timeline {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final AttributeKey<String> SERVICE = AttributeKey.stringKey("service.name");

    private Timeline() {}

    /** The calls, the one touched last first. */
    static List<Map<String, Object>> calls(RecentCalls recent) {
        List<Map<String, Object>> calls = new ArrayList<>();
        for (String id : recent.ids()) {
            List<SpanData> spans = recent.spans(id);
            if (spans.isEmpty()) {
                continue;
            }
            Map<String, Object> call = new LinkedHashMap<>();
            call.put("call", id);
            call.put("started_ms", start(spans) / 1_000_000);
            call.put("spans", spans.size());
            call.put("errors", spans.stream().filter(Timeline::isError).count());
            call.put("open", spans.stream().filter(span -> !span.hasEnded()).count());
            calls.add(call);
        }
        return calls;
    }

    /** One call's spans. */
    static List<Map<String, Object>> spans(List<SpanData> spans) {
        return spans.stream().map(Timeline::span).toList();
    }

    private static long start(List<SpanData> spans) {
        return spans.stream().mapToLong(SpanData::getStartEpochNanos).min().orElse(0);
    }

    private static boolean isError(SpanData span) {
        return span.getStatus().getStatusCode() == StatusCode.ERROR;
    }

    private static Map<String, Object> span(SpanData span) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", span.getSpanId());
        row.put("parent", span.getParentSpanId());
        row.put("name", span.getName());
        row.put("service", String.valueOf(span.getResource().getAttribute(SERVICE)));
        row.put("start_ms", span.getStartEpochNanos() / NANOS_PER_MILLI);
        row.put("end_ms", span.hasEnded() ? span.getEndEpochNanos() / NANOS_PER_MILLI : null);
        row.put("error", isError(span));
        row.put("attributes", map(span.getAttributes()));
        row.put(
                "events",
                span.getEvents().stream()
                        .map(
                                event ->
                                        Map.of(
                                                "name", event.getName(),
                                                "at_ms", event.getEpochNanos() / NANOS_PER_MILLI,
                                                "attributes", map(event.getAttributes())))
                        .toList());
        return row;
    }

    private static Map<String, Object> map(Attributes attributes) {
        Map<String, Object> map = new LinkedHashMap<>();
        attributes.forEach((key, value) -> map.put(key.getKey(), value));
        return map;
    }
}
