package dev.parley.transceiver.trace;

import dev.parley.otel.Histogram;
import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.otel.trace.CallTrace;
import dev.parley.transceiver.session.EndReason;
import dev.parley.transceiver.session.SetupPhases.Phase;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** How long things take in the calls of a process. Any thread may note. */
final class CallTimes {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Histogram setup;
    private final Histogram duration;
    private final Histogram turns;
    private final LongAdder bargeIns = new LongAdder();
    private final LongAdder idleClears = new LongAdder();

    CallTimes(Telemetry telemetry) {
        setup = telemetry.histogram(Metric.CALL_SETUP);
        duration = telemetry.histogram(Metric.CALL_DURATION);
        turns = telemetry.histogram(Metric.TURN_LATENCY);
        telemetry.counters(
                Metric.CALL_BARGE_INS, Map.of("yes", bargeIns::sum, "no", idleClears::sum));
    }

    void reached(CallTrace call, Phase phase, long afterNanos) {
        setup.record(afterNanos / NANOS_PER_SECOND, call, phase.name().toLowerCase(Locale.ROOT));
    }

    void ended(CallTrace call, EndReason reason, long afterNanos) {
        duration.record(afterNanos / NANOS_PER_SECOND, call, reason.label());
    }

    void answered(CallTrace call, long afterNanos) {
        turns.record(afterNanos / NANOS_PER_SECOND, call);
    }

    void interrupted(boolean playing) {
        (playing ? bargeIns : idleClears).increment();
    }
}
