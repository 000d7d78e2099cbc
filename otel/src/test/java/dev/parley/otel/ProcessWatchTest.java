package dev.parley.otel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessWatchTest {
    private final Telemetry telemetry = Telemetry.none();
    private long nowNanos = 1_000_000_000L;
    private long wallNanos = 5_000_000_000L;
    private final List<String> lines = new ArrayList<>();
    private final ProcessWatch watch =
            new ProcessWatch(telemetry, () -> nowNanos, () -> wallNanos, lines::add);

    private void tick(long late, long jump) {
        nowNanos += ProcessWatch.TICK_NANOS + late;
        wallNanos += ProcessWatch.TICK_NANOS + late + jump;
        watch.tick();
    }

    private long count(String series) {
        return telemetry.snapshot().getOrDefault("parley.process." + series, 0L);
    }

    @Test
    void countsPausesThatAPacketWouldNotSurvive() {
        tick(0, 0);
        tick(ProcessWatch.NOTICED_NANOS, 0);
        assertThat(count("pauses_over_budget{cause=process}")).isZero();

        tick(ProcessWatch.BUDGET_NANOS, 0);
        assertThat(count("pauses_over_budget{cause=process}")).isEqualTo(1);
        assertThat(count("clock_jumps{direction=ahead}")).isZero();
    }

    @Test
    void tellsNothingOfAStartAndLaterOneLineAtATime() {
        tick(ProcessWatch.BUDGET_NANOS, 0);
        assertThat(lines).isEmpty();

        tick(ProcessWatch.TELL_NANOS, 0);
        tick(ProcessWatch.BUDGET_NANOS, 0);
        assertThat(lines).containsExactly("the process stood still for 10000 ms");

        tick(ProcessWatch.TELL_NANOS, 0);
        assertThat(lines).hasSize(2);
        assertThat(lines.getLast()).endsWith("; the same 1 times before");
    }

    @Test
    void countsJumpsOfTheWallClockOnce() {
        tick(0, ProcessWatch.JUMP_NANOS);
        tick(0, 0);
        tick(0, -2 * ProcessWatch.JUMP_NANOS);

        assertThat(count("clock_jumps{direction=ahead}")).isEqualTo(1);
        assertThat(count("clock_jumps{direction=back}")).isEqualTo(1);
    }
}
