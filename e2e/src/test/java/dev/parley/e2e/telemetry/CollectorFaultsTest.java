package dev.parley.e2e.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.otel.TelemetrySettings;
import dev.parley.otel.TelemetrySettings.OtlpProtocol;
import dev.parley.otel.trace.CallTrace;
import dev.parley.otel.trace.Tracing;
import io.grpc.Status;
import io.opentelemetry.api.trace.SpanKind;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A collector that is down, slow or refuses costs spans, and one line of the log. */
class CollectorFaultsTest {
    private static final int SPANS = 20_000;
    private static final long MOST_WAITING = 2_048;
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

    private static final int USUAL_TIMEOUT_MILLIS = 60_000;

    /** Impatient, by OpenTelemetry's own variables: what takes seconds usually need not here. */
    private static Telemetry telemetry(String endpoint, OtlpProtocol protocol, int timeoutMillis) {
        return Telemetry.start(
                "signaling",
                Map.of(
                        "OTEL_EXPORTER_OTLP_TIMEOUT",
                        Integer.toString(timeoutMillis),
                        "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED",
                        "true",
                        "OTEL_BSP_SCHEDULE_DELAY",
                        "20",
                        "OTEL_METRIC_EXPORT_INTERVAL",
                        "50"),
                new TelemetrySettings(endpoint, protocol, 1, 10));
    }

    private static void makeSpans(Telemetry telemetry, int count) {
        Tracing tracing = telemetry.tracing("signaling");
        Random random = new Random(1);
        for (int i = 0; i < count; i++) {
            CallTrace call = tracing.mint(random);
            tracing.startRoot(call, "POST /v1/realtime/calls", SpanKind.SERVER, 1_000_000).end();
        }
    }

    private static long count(Telemetry telemetry, String outcome) {
        return telemetry
                .snapshot()
                .getOrDefault("parley.telemetry.exports{outcome=" + outcome + "}", 0L);
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(end - System.nanoTime()).as("time left").isPositive();
            LockSupport.parkNanos(1_000_000);
        }
    }

    @ParameterizedTest
    @EnumSource(FaultyCollector.Fault.class)
    void costsSpansAndOneLine(FaultyCollector.Fault fault) {
        try (FaultyCollector collector = FaultyCollector.with(fault);
                LogLines lines = LogLines.of("dev.parley.otel.ExportWatch")) {
            try (Telemetry telemetry =
                    telemetry(collector.endpoint(), fault.protocol(), fault.timeoutMillis())) {
                makeSpans(telemetry, SPANS);

                assertThat(telemetry.snapshot().get("parley.telemetry.spans.waiting"))
                        .isBetween(0L, MOST_WAITING);
                await(
                        () ->
                                count(telemetry, "spans_failed") + count(telemetry, "spans_dropped")
                                        == SPANS);
                assertThat(count(telemetry, "spans_sent")).isZero();
                await(() -> count(telemetry, "metrics_failed") > 1);
            }
            System.out.println(fault + ": " + lines.text());
            assertThat(lines.text())
                    .singleElement()
                    .asString()
                    .startsWith(collector.endpoint() + " does not take telemetry (")
                    .contains(fault.told());
        }
    }

    @Test
    void sendsAgainWhenACollectorIsBack() {
        try (OtlpReceiver collector = OtlpReceiver.overGrpc();
                LogLines lines = LogLines.of("dev.parley.otel.ExportWatch");
                Telemetry telemetry =
                        telemetry(collector.endpoint(), OtlpProtocol.GRPC, USUAL_TIMEOUT_MILLIS)) {
            collector.answer(Status.PERMISSION_DENIED.withDescription("not you"));
            makeSpans(telemetry, 10);
            await(() -> count(telemetry, "spans_failed") == 10);
            await(() -> count(telemetry, "metrics_failed") > 0);

            collector.answer(Status.OK);
            makeSpans(telemetry, 5);
            await(() -> count(telemetry, "spans_sent") == 5);
            await(() -> lines.text().size() == 2);
            assertThat(lines.text().getFirst()).contains("PERMISSION_DENIED: not you");
            assertThat(lines.text().getLast()).contains("takes telemetry again");
            assertThat(collector.spans()).hasSize(5);
        }
    }

    @ParameterizedTest
    @EnumSource(OtlpProtocol.class)
    void spansAndMetricsArriveByEitherProtocol(OtlpProtocol protocol) {
        try (OtlpReceiver collector =
                protocol == OtlpProtocol.HTTP ? OtlpReceiver.overHttp() : OtlpReceiver.overGrpc()) {
            Telemetry telemetry = telemetry(collector.endpoint(), protocol, USUAL_TIMEOUT_MILLIS);
            makeSpans(telemetry, 3);
            CallTrace slow = CallTrace.mint(new Random(2), 1);
            telemetry.histogram(Metric.CALL_SETUP).record(2.5, slow, "answered");
            // What waits is sent before it ends.
            telemetry.close();

            assertThat(collector.spans())
                    .hasSize(3)
                    .extracting(ReceivedSpan::title)
                    .containsOnly("parley-signaling: POST /v1/realtime/calls");
            assertThat(collector.metrics()).contains("parley.telemetry.exports");
            assertThat(collector.examples())
                    .as("a slow set-up leads to its trace")
                    .containsExactly(
                            new OtlpReceiver.Example(
                                    Metric.CALL_SETUP.text(), 2.5, slow.toString()));
        }
    }
}
