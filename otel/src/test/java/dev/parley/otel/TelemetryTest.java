package dev.parley.otel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TelemetryTest {
    @Test
    void readsRegisteredValuesWhenAsked() {
        AtomicLong forged = new AtomicLong();
        AtomicLong flows = new AtomicLong(3);
        try (Telemetry telemetry = Telemetry.start("relay", Map.of(), TelemetrySettings.LOCAL)) {
            telemetry.counters(
                    "parley.relay.drops",
                    "Dropped datagrams.",
                    "{packet}",
                    "reason",
                    Map.of("forged", forged::get));
            telemetry.gauge("parley.relay.flows", "Live flows.", "{flow}", flows::get);
            forged.set(7);

            assertThat(telemetry.snapshot())
                    .containsExactly(
                            Map.entry("parley.relay.drops{reason=forged}", 7L),
                            Map.entry("parley.relay.flows", 3L));
        }
    }
}
