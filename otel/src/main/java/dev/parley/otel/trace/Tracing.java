package dev.parley.otel.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One service's hand in the traces of calls. Starting and ending spans costs a few microseconds and
 * blocks on nothing; it is for milestones of a call, never for packets. Any thread may use it.
 */
public final class Tracing {
    private static final Tracing NONE = new Tracing(null, 0);

    private final Tracer tracer;
    private final double ratio;
    private final boolean on;

    private Tracing(@Nullable SdkTracerProvider provider, double ratio) {
        TracerProvider source = provider == null ? TracerProvider.noop() : provider;
        this.tracer = source.get("dev.parley");
        this.ratio = ratio;
        this.on = provider != null;
    }

    /** Records nothing. */
    public static Tracing none() {
        return NONE;
    }

    /**
     * Records spans.
     *
     * @param resource says which service it is
     * @param ratio share of the calls minted here whose spans are exported
     * @param processors take the spans; shut down by whoever made them
     */
    public static Tracing of(Resource resource, double ratio, List<SpanProcessor> processors) {
        var provider =
                SdkTracerProvider.builder()
                        .setResource(resource)
                        .setIdGenerator(new CallIds())
                        .setSampler(new CallSampler());
        processors.forEach(provider::addSpanProcessor);
        return new Tracing(provider.build(), ratio);
    }

    /** Whether anything is recorded. */
    public boolean isOn() {
        return on;
    }

    /** The id of a new call, in which it is decided whether its trace is sampled. */
    public CallTrace mint(RandomGenerator random) {
        return CallTrace.mint(random, ratio);
    }

    /** Begins a call's first span, {@link CallTrace#root}. */
    public Span startRoot(CallTrace call, String name, SpanKind kind, long startEpochNanos) {
        return CallIds.naming(
                call.root(),
                () ->
                        builder(Context.root(), name, kind, startEpochNanos)
                                .setNoParent()
                                .startSpan());
    }

    /**
     * Begins the span of the call itself, {@link CallTrace#call}.
     *
     * @param parent another span of the call's trace, or an invalid one for none
     */
    public Span startCall(CallTrace call, SpanContext parent, String name, long startEpochNanos) {
        Context under = parent.isValid() ? under(parent) : Context.root();
        return CallIds.naming(
                call.call(),
                () -> builder(under, name, SpanKind.INTERNAL, startEpochNanos).startSpan());
    }

    /** Begins a span under another one. */
    public Span start(SpanContext parent, String name, SpanKind kind, long startEpochNanos) {
        return builder(under(parent), name, kind, startEpochNanos).startSpan();
    }

    private static Context under(SpanContext parent) {
        return Context.root().with(Span.wrap(parent));
    }

    private SpanBuilder builder(Context parent, String name, SpanKind kind, long startEpochNanos) {
        return tracer.spanBuilder(name)
                .setParent(parent)
                .setSpanKind(kind)
                .setStartTimestamp(startEpochNanos, TimeUnit.NANOSECONDS);
    }

    /** The wall clock, as spans are timed. */
    public static long epochNanos() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }
}
