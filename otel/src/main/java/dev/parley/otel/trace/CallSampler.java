package dev.parley.otel.trace;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;

/**
 * Does what was decided when the call's id was minted. A trace that is not sampled is recorded all
 * the same, for this process's own eyes.
 */
final class CallSampler implements Sampler {
    @Override
    public SamplingResult shouldSample(
            Context context,
            String traceId,
            String name,
            SpanKind kind,
            Attributes attributes,
            List<LinkData> links) {
        SpanContext parent = Span.fromContext(context).getSpanContext();
        boolean sampled = parent.isValid() ? parent.isSampled() : CallTrace.isSampled(traceId);
        return sampled ? SamplingResult.recordAndSample() : SamplingResult.recordOnly();
    }

    @Override
    public String getDescription() {
        return "CallSampler";
    }
}
