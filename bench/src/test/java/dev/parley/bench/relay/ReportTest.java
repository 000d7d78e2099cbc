package dev.parley.bench.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final Row PACED = row("batched", 10_000, 7_000, 0);

    @Test
    void writesPacedRowsAndMaximaAsJson() {
        Row other = row("c", 10_000, 3_500, Double.NaN);
        List<Row> rows = List.of(PACED, other, row("batched", 0, 1_800, 0));
        assertThat(Report.json(rows, List.of(new StartUp.Figures(true, 800, 24_999, 2))))
                .isEqualTo(
                        """
                        {"rows": [
                            {"contestant": "batched", "rate_pps": 10000, "payload_bytes": 172, "flows": 1000, "cpu_ns_per_packet": 7000.0, "loss": 0.000100, "p50_us": 1.0, "p99_us": 2.0, "p999_us": 3.0, "alloc_bytes_per_packet": 0.0000, "rss_mib": 50.0},
                            {"contestant": "c", "rate_pps": 10000, "payload_bytes": 172, "flows": 1000, "cpu_ns_per_packet": 3500.0, "loss": 0.000100, "p50_us": 1.0, "p99_us": 2.0, "p999_us": 3.0, "alloc_bytes_per_packet": null, "rss_mib": 50.0}],
                         "max": [
                            {"contestant": "batched", "pps": 20000, "cpu_ns_per_packet": 1800.0, "loss": 0.000100, "busy": 0.500}],
                         "start_up": [
                            {"cache": true, "first_packet_ms": 800, "sent": 24999, "lost": 2}]}
                        """);
    }

    @Test
    void showsEachContestantsCostAgainstTheBatchedOne() {
        assertThat(Report.table(List.of(PACED, row("c", 10_000, 3_500, Double.NaN))))
                .contains("10,000 round trips/s, 172-byte payloads, 1,000 flows")
                .containsPattern("batched +20,000 +0.010 +7,000 +1.00")
                .containsPattern("c +20,000 +0.010 +3,500 +0.50");
    }

    @Test
    void takesTheMedianOfTheRounds() {
        List<Row> rounds =
                List.of(
                        row("batched", 10_000, 9_000, 0),
                        PACED,
                        row("batched", 10_000, 100, 0),
                        row("c", 10_000, 4_000, 0));
        List<Row> medians = Report.medians(rounds);
        assertThat(medians).extracting(Row::cpuNanos).containsExactly(7_000.0, 4_000.0);
        assertThat(Row.median(rounds.subList(0, 2)).cpuNanos()).isEqualTo(8_000);
    }

    private static Row row(String name, int rate, double cpuNanos, double allocated) {
        return new Row(
                name,
                new Load(rate, 172, 1_000),
                20_000,
                cpuNanos,
                1e-4,
                1,
                2,
                3,
                allocated,
                50,
                0.5);
    }
}
