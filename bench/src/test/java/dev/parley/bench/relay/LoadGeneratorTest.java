package dev.parley.bench.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class LoadGeneratorTest {
    @Test
    void everyFlowComesBackToItsOwnClient() throws IOException {
        try (LoadGenerator load = new LoadGenerator()) {
            load.target(load.sinkAddress());
            load.open(3_000);
            LoadFigures paced = load.pace(2_000, 100, 172, TimeUnit.MILLISECONDS.toNanos(200));
            assertThat(paced.sent()).isPositive();
            assertThat(paced.received()).isEqualTo(paced.sent());
            assertThat(paced.latencies().getTotalCount()).isEqualTo(paced.received());
            LoadFigures fastest = load.saturate(128, 1_000, 60, TimeUnit.MILLISECONDS.toNanos(50));
            assertThat(fastest.received()).isEqualTo(fastest.sent()).isPositive();
        }
    }
}
