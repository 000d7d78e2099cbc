package dev.parley.otel;

import io.opentelemetry.exporter.internal.FailedExportException.GrpcExportException;
import io.opentelemetry.exporter.internal.FailedExportException.HttpExportException;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts what becomes of spans and metrics on their way to a collector, bounds the spans that wait,
 * and tells when a collector does not take them: one line, and no second one for a while. A
 * process's export owns it; any thread may enter, and none waits.
 */
final class ExportWatch {
    /** What is exported. */
    enum Signal {
        SPANS,
        METRICS
    }

    private static final System.Logger LOG = System.getLogger(ExportWatch.class.getName());
    private static final long QUIET_NANOS = Duration.ofMinutes(10).toNanos();

    private final String endpoint;
    private final LongSupplier clock;
    private final Map<Signal, LongAdder> sent = adders();
    private final Map<Signal, LongAdder> failed = adders();
    private final LongAdder dropped = new LongAdder();
    private final AtomicLong waiting = new AtomicLong();

    // Guarded by this.
    private final Set<Signal> failing = EnumSet.noneOf(Signal.class);
    private boolean told;
    private long quietUntilNanos;
    private long lostBefore;

    /**
     * Nothing has been exported yet.
     *
     * @param endpoint as people know it
     */
    ExportWatch(String endpoint, LongSupplier clock) {
        this.endpoint = endpoint;
        this.clock = clock;
        this.quietUntilNanos = clock.getAsLong();
    }

    private static Map<Signal, LongAdder> adders() {
        Map<Signal, LongAdder> adders = new EnumMap<>(Signal.class);
        for (Signal signal : Signal.values()) {
            adders.put(signal, new LongAdder());
        }
        return adders;
    }

    void register(Telemetry telemetry) {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        sent.forEach((signal, count) -> series.put(label(signal) + "_sent", count::sum));
        failed.forEach((signal, count) -> series.put(label(signal) + "_failed", count::sum));
        series.put("spans_dropped", dropped::sum);
        telemetry.counters(Metric.TELEMETRY_EXPORTS, series);
        telemetry.gauge(Metric.TELEMETRY_SPANS_WAITING, waiting::get);
    }

    private static String label(Signal signal) {
        return signal.name().toLowerCase(Locale.ROOT);
    }

    // --- what stands between the SDK's parts

    /** Lets at most so many sampled spans into a processor that hands them on in batches. */
    SpanProcessor bounded(SpanProcessor processor, int most) {
        return new BoundedSpans(processor, this, most);
    }

    SpanExporter watched(SpanExporter exporter) {
        return new WatchedSpans(exporter, this);
    }

    MetricExporter watched(MetricExporter exporter) {
        return new WatchedMetrics(exporter, this);
    }

    /** Whether one more span may wait; false when it is to be dropped. */
    boolean admitSpan(int most) {
        // Two threads at the brink may let one more in: the queue behind has room for it.
        if (waiting.get() >= most) {
            dropped.increment();
            return false;
        }
        waiting.incrementAndGet();
        return true;
    }

    /** Spans left the queue. */
    void handedOn(int spans) {
        waiting.addAndGet(-spans);
    }

    /** Sees what comes of an export. */
    CompletableResultCode watch(Signal signal, int items, CompletableResultCode result) {
        return result.whenComplete(
                () -> {
                    if (result.isSuccess()) {
                        arrived(signal, items);
                    } else {
                        lost(signal, items, result.getFailureThrowable());
                    }
                });
    }

    // --- what is told

    private synchronized void arrived(Signal signal, int items) {
        count(sent, signal, items);
        failing.remove(signal);
        if (told && failing.isEmpty()) {
            told = false;
            LOG.log(
                    System.Logger.Level.INFO,
                    "{0} takes telemetry again; lost meanwhile: {1} spans and batches of metrics",
                    endpoint,
                    losses() - lostBefore);
        }
    }

    private synchronized void lost(Signal signal, int items, @Nullable Throwable failure) {
        if (!told && failing.isEmpty()) {
            lostBefore = losses();
        }
        count(failed, signal, items);
        failing.add(signal);
        long now = clock.getAsLong();
        if (quietUntilNanos - now <= 0) {
            quietUntilNanos = now + QUIET_NANOS;
            told = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} does not take telemetry ({1}): what does not fit in a small queue is lost,"
                            + " and nothing else depends on it",
                    endpoint,
                    cause(failure));
        }
    }

    private static void count(Map<Signal, LongAdder> counts, Signal signal, int items) {
        LongAdder count = counts.get(signal);
        if (count != null) {
            count.add(items);
        }
    }

    private long losses() {
        return dropped.sum() + failed.values().stream().mapToLong(LongAdder::sum).sum();
    }

    private static String cause(@Nullable Throwable failure) {
        return switch (failure) {
            case null -> "no answer in time";
            case GrpcExportException grpc when grpc.getResponse() != null ->
                    grpc.getResponse().getStatusCode()
                            + ": "
                            + grpc.getResponse().getStatusDescription();
            case HttpExportException http when http.getResponse() != null ->
                    "HTTP status " + http.getResponse().getStatusCode();
            // The exporter's own exception says nothing, the one behind it what went wrong.
            default -> failure.getCause() == null ? failure.toString() : reason(failure.getCause());
        };
    }

    private static String reason(Throwable failure) {
        String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }
}
