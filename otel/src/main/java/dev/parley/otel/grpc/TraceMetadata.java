package dev.parley.otel.grpc;

import io.grpc.Metadata;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;

/** W3C Trace Context, {@code traceparent} and {@code tracestate}, in gRPC metadata. */
final class TraceMetadata {
    private static final TextMapGetter<Metadata> GETTER =
            (metadata, name) -> metadata == null ? null : metadata.get(key(name));

    private TraceMetadata() {}

    static void write(SpanContext span, Metadata into) {
        W3CTraceContextPropagator.getInstance()
                .inject(
                        Context.root().with(Span.wrap(span)),
                        into,
                        (metadata, key, value) -> {
                            if (metadata != null) {
                                Metadata.Key<String> name = key(key);
                                metadata.discardAll(name);
                                metadata.put(name, value);
                            }
                        });
    }

    /** The caller's span; invalid when it names none, or badly. */
    static SpanContext read(Metadata metadata) {
        Context caller =
                W3CTraceContextPropagator.getInstance().extract(Context.root(), metadata, GETTER);
        return Span.fromContext(caller).getSpanContext();
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
}
