package dev.parley.signaling;

import dev.parley.otel.Telemetry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** What signaling answered, counted. Any thread may count. */
final class SignalingCounters {
    private static final int CLASSES = 5;

    private final LongAdder[] byClass = adders(CLASSES + 1);
    private final LongAdder[] byCode = adders(ErrorCode.values().length);
    private final LongAdder created = new LongAdder();
    private final LongAdder closed = new LongAdder();

    void register(Telemetry telemetry, TransceiverPool pool) {
        Map<String, LongSupplier> classes = new LinkedHashMap<>();
        for (int i = 1; i <= CLASSES; i++) {
            classes.put(i + "xx", byClass[i]::sum);
        }
        telemetry.counters(
                "parley.signaling.responses",
                "HTTP responses by status class",
                "{response}",
                "class",
                classes);

        Map<String, LongSupplier> codes = new LinkedHashMap<>();
        for (ErrorCode code : ErrorCode.values()) {
            codes.put(code.text(), byCode[code.ordinal()]::sum);
        }
        telemetry.counters(
                "parley.signaling.errors",
                "Requests refused, by error code",
                "{request}",
                "code",
                codes);

        telemetry.counters(
                "parley.signaling.calls",
                "Calls created and ended through signaling, and creations tried twice",
                "{call}",
                "event",
                Map.of("created", created::sum, "closed", closed::sum, "retried", pool::retries));
    }

    void responded(int status) {
        byClass[Math.clamp(status / 100, 0, CLASSES)].increment();
    }

    void refused(ErrorCode code) {
        byCode[code.ordinal()].increment();
    }

    void created() {
        created.increment();
    }

    void closed() {
        closed.increment();
    }

    private static LongAdder[] adders(int count) {
        return Stream.generate(LongAdder::new).limit(count).toArray(LongAdder[]::new);
    }
}
