package dev.parley.signaling.ws;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * WebSockets that were opened, and those that were ended on their clients. Any thread may count.
 */
public final class SocketCounters {
    private final LongAdder calls = new LongAdder();
    private final LongAdder sidebands = new LongAdder();
    private final LongAdder[] ended =
            Stream.generate(LongAdder::new)
                    .limit(Violation.values().length)
                    .toArray(LongAdder[]::new);

    /** Shows the counts. */
    public void register(Telemetry telemetry) {
        telemetry.counters(
                Metric.SIGNALING_WEBSOCKETS,
                Map.of("call", calls::sum, "sideband", sidebands::sum));
        Map<String, LongSupplier> reasons = new LinkedHashMap<>();
        for (Violation violation : Violation.values()) {
            reasons.put(violation.reason(), ended[violation.ordinal()]::sum);
        }
        telemetry.counters(Metric.SIGNALING_WEBSOCKETS_CLOSED, reasons);
    }

    void openedForCalls() {
        calls.increment();
    }

    void openedForSideband() {
        sidebands.increment();
    }

    void ended(Violation violation) {
        ended[violation.ordinal()].increment();
    }
}
