package dev.parley.signaling.http;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** What signaling answered, counted. Any thread may count. */
public final class SignalingCounters {
    private static final int CLASSES = 5;

    private final LongAdder[] byClass = adders(CLASSES + 1);
    private final LongAdder[] byCode = adders(ErrorCode.values().length);

    /** Shows the counts. */
    public void register(Telemetry telemetry) {
        Map<String, LongSupplier> classes = new LinkedHashMap<>();
        for (int i = 1; i <= CLASSES; i++) {
            classes.put(i + "xx", byClass[i]::sum);
        }
        telemetry.counters(Metric.SIGNALING_RESPONSES, classes);

        Map<String, LongSupplier> codes = new LinkedHashMap<>();
        for (ErrorCode code : ErrorCode.values()) {
            codes.put(code.text(), byCode[code.ordinal()]::sum);
        }
        telemetry.counters(Metric.SIGNALING_ERRORS, codes);
    }

    void responded(int status) {
        byClass[Math.clamp(status / 100, 0, CLASSES)].increment();
    }

    void refused(ErrorCode code) {
        byCode[code.ordinal()].increment();
    }

    private static LongAdder[] adders(int count) {
        return Stream.generate(LongAdder::new).limit(count).toArray(LongAdder[]::new);
    }
}
