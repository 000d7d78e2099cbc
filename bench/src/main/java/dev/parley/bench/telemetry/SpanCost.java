package dev.parley.bench.telemetry;

import com.sun.management.OperatingSystemMXBean;
import dev.parley.otel.Telemetry;
import dev.parley.otel.TelemetrySettings;
import dev.parley.otel.TelemetrySettings.OtlpProtocol;
import dev.parley.otel.trace.CallTrace;
import dev.parley.otel.trace.Tracing;
import dev.parley.transceiver.media.PlayedItem;
import dev.parley.transceiver.session.CallObserver;
import dev.parley.transceiver.session.SessionId;
import dev.parley.transceiver.session.SetupPhases.Phase;
import dev.parley.transceiver.trace.CallTraces;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Processor time of this process for all that a transceiver tells of one call with ten turns: its
 * spans, events and times, making and exporting them.
 */
final class SpanCost {
    private static final int WARM_UP_CALLS = 2_000;
    private static final int CALLS = 2_000;
    private static final int TURNS = 10;

    /** So that exporting keeps up: a span that is dropped costs less. */
    private static final long CALL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Tracing tracing;
    private final CallTraces traces;
    private final SplittableRandom random = new SplittableRandom(1);

    private SpanCost(Telemetry telemetry) {
        this.tracing = telemetry.tracing("transceiver");
        this.traces = new CallTraces(tracing, telemetry, System::nanoTime);
    }

    static double micros(Setting setting) throws InterruptedException {
        Map<String, String> options = setting.options();
        TelemetrySettings settings =
                new TelemetrySettings(
                        options.getOrDefault("otlp_endpoint", ""),
                        OtlpProtocol.GRPC,
                        setting.sampledPercent() / 100.0,
                        Integer.parseInt(options.getOrDefault("recent_calls", "200")));
        try (Telemetry telemetry = Telemetry.start("transceiver", Map.of(), settings)) {
            SpanCost cost = new SpanCost(telemetry);
            cost.calls(WARM_UP_CALLS);
            var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            long before = system.getProcessCpuTime();
            cost.calls(CALLS);
            return (system.getProcessCpuTime() - before) / 1e3 / CALLS;
        }
    }

    private void calls(int count) throws InterruptedException {
        long next = System.nanoTime();
        for (int i = 0; i < count; i++) {
            call();
            next += CALL_NANOS;
            TimeUnit.NANOSECONDS.sleep(Math.max(0, next - System.nanoTime()));
        }
    }

    private void call() {
        CallTrace trace = tracing.mint(random);
        long now = System.nanoTime();
        CallObserver call = traces.observe(new SessionId(trace.high(), trace.low()), "m", now);
        for (Phase phase : Phase.values()) {
            call.reached(phase, now);
        }
        for (int turn = 0; turn < TURNS; turn++) {
            PlayedItem item = new PlayedItem("response", "item");
            call.speechStarted(now);
            call.speechStopped(now);
            call.playbackStarted(item, now);
            call.playbackStopped(item, now);
        }
        call.refused("client_hangup", "", now);
    }
}
