package dev.parley.signaling.calls;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Calls that went through signaling, counted. Any thread may count. */
public final class CallCounters {
    private final LongAdder created = new LongAdder();
    private final LongAdder closed = new LongAdder();
    private final LongAdder joined = new LongAdder();

    /** Shows the counts, and the creations that were tried again elsewhere. */
    public void register(Telemetry telemetry, LongSupplier retries) {
        telemetry.counters(
                Metric.SIGNALING_CALLS,
                Map.of(
                        "created",
                        created::sum,
                        "joined",
                        joined::sum,
                        "closed",
                        closed::sum,
                        "retried",
                        retries));
    }

    void created() {
        created.increment();
    }

    void joined() {
        joined.increment();
    }

    void closed() {
        closed.increment();
    }
}
