package dev.parley.signaling.trace;

import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;

/** The {@code traceparent} that a client sends along. It is linked to, never joined. */
final class ClientTrace {
    private static final TextMapGetter<Headers> GETTER =
            (headers, name) ->
                    headers == null ? null : headers.first(HeaderNames.create(name)).orElse(null);

    private ClientTrace() {}

    /** The client's span; invalid when it names none, or badly. */
    static SpanContext read(Headers headers) {
        Context client =
                W3CTraceContextPropagator.getInstance().extract(Context.root(), headers, GETTER);
        return Span.fromContext(client).getSpanContext();
    }
}
