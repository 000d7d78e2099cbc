package dev.parley.otel.trace;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.trace.IdGenerator;
import java.util.function.Supplier;

/** Names the span that is being started as told, and all others by chance. */
final class CallIds implements IdGenerator {
    private static final ScopedValue<SpanContext> TOLD = ScopedValue.newInstance();
    private static final IdGenerator RANDOM = IdGenerator.random();

    /** Runs something that starts one span, which gets these ids. */
    static <T> T naming(SpanContext ids, Supplier<T> start) {
        return ScopedValue.where(TOLD, ids).call(start::get);
    }

    @Override
    public String generateSpanId() {
        return TOLD.isBound() ? TOLD.get().getSpanId() : RANDOM.generateSpanId();
    }

    @Override
    public String generateTraceId() {
        return TOLD.isBound() ? TOLD.get().getTraceId() : RANDOM.generateTraceId();
    }
}
