package dev.parley.e2e.telemetry;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** A span as it was exported, and by which service. */
public record ReceivedSpan(String service, Span span) {
    /** In hex. */
    public String traceId() {
        return hex(span.getTraceId());
    }

    /** In hex. */
    public String spanId() {
        return hex(span.getSpanId());
    }

    /** In hex, empty for a trace's root. */
    public String parentId() {
        return hex(span.getParentSpanId());
    }

    /** Service and name: {@code parley-relay: parley.relay.flow}. */
    public String title() {
        return service + ": " + span.getName();
    }

    /** An attribute's value. */
    public Optional<AnyValue> attribute(String key) {
        return span.getAttributesList().stream()
                .filter(attribute -> attribute.getKey().equals(key))
                .map(KeyValue::getValue)
                .findFirst();
    }

    /** Whether it says that it failed. */
    public boolean isError() {
        return span.getStatus().getCode() == Status.StatusCode.STATUS_CODE_ERROR;
    }

    /** Names of its events. */
    public List<String> events() {
        return span.getEventsList().stream().map(Span.Event::getName).toList();
    }

    private static String hex(ByteString bytes) {
        return HexFormat.of().formatHex(bytes.toByteArray());
    }
}
