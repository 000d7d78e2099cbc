package dev.parley.relay;

import dev.parley.otel.Attribute;
import dev.parley.otel.SpanName;
import dev.parley.otel.trace.CallTrace;
import dev.parley.otel.trace.Tracing;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes spans of what workers tell of their flows, on a thread of its own, so that no packet waits
 * for it. A token's session id names the call's trace and the span that they belong to. Tokens can
 * be sent again by anyone who has seen one, so only so many a second become spans. Owned by the
 * relay.
 */
final class FlowTracer implements AutoCloseable {
    private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();
    private static final int SPANS_PER_SECOND = 1_000;

    private final Tracing tracing;
    private final List<FlowNotices> workers;
    private final PerSecond budget;
    private final LongAdder left = new LongAdder();
    private final Thread thread;
    private volatile boolean closed;

    /** Starts the thread, unless nothing is traced. */
    FlowTracer(Tracing tracing, List<FlowNotices> workers) {
        this.tracing = tracing;
        this.workers = workers;
        this.budget = new PerSecond(SPANS_PER_SECOND, System.nanoTime());
        this.thread = Thread.ofVirtual().name("relay-flow-tracer").unstarted(this::run);
        if (tracing.isOn()) {
            thread.start();
        }
    }

    private void run() {
        while (!closed) {
            drain();
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
        drain();
    }

    private void drain() {
        long wallAhead = Tracing.epochNanos() - System.nanoTime();
        for (FlowNotices notices : workers) {
            notices.drainTo(
                    (verdict, high, low, atNanos) ->
                            trace(verdict, new CallTrace(high, low), atNanos + wallAhead));
        }
    }

    private void trace(Verdict verdict, CallTrace call, long atEpochNanos) {
        if (!budget.take(System.nanoTime()) || !call.call().isValid()) {
            left.increment();
            return;
        }
        Span span =
                tracing.start(call.call(), SpanName.FLOW.text(), SpanKind.INTERNAL, atEpochNanos);
        span.setAttribute(Attribute.FLOW_CAUSE, cause(verdict));
        span.setAttribute(Attribute.NETWORK_TRANSPORT, "udp");
        span.end(atEpochNanos, TimeUnit.NANOSECONDS);
    }

    private static String cause(Verdict verdict) {
        return switch (verdict) {
            case UP_NEW_FLOW -> "new";
            case UP_SHOWN_FLOW -> "recovered";
            default -> "moved";
        };
    }

    /** Notices that became no span, because there were too many. */
    long lost() {
        return left.sum() + workers.stream().mapToLong(FlowNotices::lost).sum();
    }

    /** Makes spans of what is left, and stops. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
