package dev.parley.transceiver.trace;

import dev.parley.otel.Telemetry;
import dev.parley.otel.grpc.ServerSpans;
import dev.parley.otel.trace.CallTrace;
import dev.parley.otel.trace.Tracing;
import dev.parley.transceiver.session.CallObserver;
import dev.parley.transceiver.session.SessionId;
import io.opentelemetry.api.trace.SpanContext;
import java.util.function.LongSupplier;

/**
 * Makes the observer that traces and times a call. Owned by the transceiver; any thread may use it.
 */
public final class CallTraces implements CallObserver.Source {
    private final Tracing tracing;
    private final CallTimes times;
    private final LongSupplier clock;

    /** Traces calls that are timed by this clock. */
    public CallTraces(Tracing tracing, Telemetry telemetry, LongSupplier clock) {
        this.tracing = tracing;
        this.times = new CallTimes(telemetry);
        this.clock = clock;
    }

    @Override
    public CallObserver observe(SessionId id, String model, long nowNanos) {
        CallTrace call = new CallTrace(id.high(), id.low());
        SpanContext request = ServerSpans.current();
        // A caller that knows nothing of our ids has a trace of its own; ours goes without a
        // parent.
        SpanContext parent =
                request.getTraceId().equals(call.toString()) ? request : SpanContext.getInvalid();
        // The wall clock is read once, so that a jump of it does not tear the call's spans apart.
        long wallAhead = Tracing.epochNanos() - clock.getAsLong();
        return new CallStory(tracing, times, call, parent, model, wallAhead, nowNanos);
    }
}
