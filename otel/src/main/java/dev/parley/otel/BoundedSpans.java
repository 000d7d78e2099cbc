package dev.parley.otel;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;

/** Keeps spans from a processor that too many wait in. Any thread may end a span; none waits. */
record BoundedSpans(SpanProcessor inner, ExportWatch watch, int most) implements SpanProcessor {
    @Override
    public void onStart(Context context, ReadWriteSpan span) {
        inner.onStart(context, span);
    }

    @Override
    public boolean isStartRequired() {
        return inner.isStartRequired();
    }

    @Override
    public void onEnd(ReadableSpan span) {
        if (span.getSpanContext().isSampled() && watch.admitSpan(most)) {
            inner.onEnd(span);
        }
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }

    @Override
    public CompletableResultCode shutdown() {
        return inner.shutdown();
    }

    @Override
    public CompletableResultCode forceFlush() {
        return inner.forceFlush();
    }
}
