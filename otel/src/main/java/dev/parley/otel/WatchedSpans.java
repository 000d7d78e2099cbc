package dev.parley.otel;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;

/** Exports spans, and lets what comes of it be seen. */
record WatchedSpans(SpanExporter inner, ExportWatch watch) implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        watch.handedOn(spans.size());
        return watch.watch(ExportWatch.Signal.SPANS, spans.size(), inner.export(spans));
    }

    @Override
    public CompletableResultCode flush() {
        return inner.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return inner.shutdown();
    }
}
