package dev.parley.bench.all;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BaselineTest {
    @Test
    void keepsMediansAndSpreads(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("baseline.json");
        Baseline before = Baseline.EMPTY.with("2 x core", Map.of("opus", List.of(5.0)));
        Files.writeString(
                file, before.with("2 x core", Map.of("srtp", List.of(3.0, 1.0, 2.0))).text());

        assertThat(Baseline.read(file).find("srtp")).isEqualTo(new Spread(2, 1, 3));
        assertThat(Baseline.read(file).find("opus")).isEqualTo(new Spread(5, 5, 5));
        assertThat(Baseline.read(file).find("stun")).isNull();
    }

    @Test
    void callsWorseWhatIsNotablyAboveAllRoundsOfBefore() {
        Spread before = new Spread(10, 9, 13);

        assertThat(before.isWorse("us_per_packet", 12.5)).as("within the spread").isFalse();
        assertThat(before.isWorse("us_per_packet", 14)).isTrue();
        assertThat(before.isWorse("us_per_packet", 5)).isFalse();
        assertThat(new Spread(10, 10, 10).isWorse("us_per_packet", 11)).as("little").isFalse();
    }

    @Test
    void wantsMoreOfRates() {
        Spread before = new Spread(100, 90, 110);

        for (String rate :
                List.of(
                        "relay.most packets/s",
                        "sessions.opus setups, setups/s",
                        "sessions.opus 200, calls a core")) {
            assertThat(before.isWorse(rate, 80)).as(rate).isTrue();
            assertThat(before.isWorse(rate, 200)).as(rate).isFalse();
        }
        for (String cost :
                List.of(
                        "relay.us_per_packet at 50,000 a second",
                        "relay.added_p99_us at 50,000 a second",
                        "sessions.opus memory, KiB a call",
                        "sessions.opus 200, us/packet")) {
            assertThat(before.isWorse(cost, 200)).as(cost).isTrue();
            assertThat(before.isWorse(cost, 80)).as(cost).isFalse();
        }
    }

    @Test
    void isComparedOnItsOwnMachineWhateverTheDay(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("baseline.json");
        Files.writeString(
                file,
                Baseline.EMPTY
                        .with("2 x Xeon, Java 25, 2026-12-01", Map.of("srtp", List.of(1.0)))
                        .text());

        Baseline read = Baseline.read(file);

        assertThat(read.isOf("2 x Xeon, Java 25, 2027-01-01")).isTrue();
        assertThat(read.isOf("4 x Xeon, Java 25, 2026-12-01")).isFalse();
        assertThat(Baseline.EMPTY.isOf("2 x Xeon, Java 25, 2026-12-01")).isFalse();
    }
}
