package dev.parley.inferencestub;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** What the stub counts. Shared by all streams; any thread may add. */
final class StubCounters {
    final LongAdder framesDropped = new LongAdder();
    final LongAdder faults = new LongAdder();
    private final Map<Misuse, LongAdder> misuse = new EnumMap<>(Misuse.class);
    private final Map<Model, LongAdder> sessions = new EnumMap<>(Model.class);

    StubCounters(Telemetry telemetry) {
        for (Misuse kind : Misuse.values()) {
            misuse.put(kind, new LongAdder());
        }
        for (Model model : Model.values()) {
            sessions.put(model, new LongAdder());
        }
        telemetry.counters(Metric.INFERENCE_STUB_MISUSE, series(misuse, Misuse::label));
        telemetry.counters(Metric.INFERENCE_STUB_SESSIONS, series(sessions, Model::label));
        telemetry.counters(
                Metric.INFERENCE_STUB_DROPS, Map.of("edge_not_ready", framesDropped::sum));
        telemetry.counters(Metric.INFERENCE_STUB_FAULTS, Map.of("internal", faults::sum));
    }

    void count(Misuse kind) {
        misuse.getOrDefault(kind, faults).increment();
    }

    void count(Model model) {
        sessions.getOrDefault(model, faults).increment();
    }

    private static <E extends Enum<E>> Map<String, LongSupplier> series(
            Map<E, LongAdder> adders, Function<E, String> label) {
        Map<String, LongSupplier> series = new HashMap<>();
        adders.forEach((key, adder) -> series.put(label.apply(key), adder::sum));
        return series;
    }
}
