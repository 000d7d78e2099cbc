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
        Baseline before = Baseline.EMPTY.with(Map.of("opus", List.of(5.0)));
        Files.writeString(
                file, before.with(Map.of("srtp", List.of(3.0, 1.0, 2.0))).text("2 x core"));

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

        assertThat(before.isWorse("most packets/s", 80)).isTrue();
        assertThat(before.isWorse("most packets/s", 200)).isFalse();
    }
}
