package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole calls over a bad network, one seed per run. */
class CallSimulationTest {
    private static final Logger LOGS = Logger.getLogger("dev.parley");

    /** Constant seeds; one that finds a fault is added. */
    static LongStream seeds() {
        return LongStream.concat(LongStream.rangeClosed(1, 20), LongStream.of(20_225));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void carriesCallsThroughWhateverTheNetworkDoes(long seed) {
        assertThat(CallSimulation.run(seed)).isEmpty();
    }

    /** {@code ./parley sweep} looks for seeds that find a fault. */
    @Test
    @EnabledIfSystemProperty(named = "parley.sweep.seeds", matches = "\\d+")
    void sweeps() throws IOException {
        LOGS.setLevel(Level.WARNING);
        long from = Long.getLong("parley.sweep.from", 1);
        long seeds = Long.getLong("parley.sweep.seeds", 1);
        Map<Long, String> failed = new TreeMap<>();
        for (long seed = from; seed < from + seeds; seed++) {
            String report = CallSimulation.run(seed);
            if (!report.isEmpty()) {
                failed.put(seed, report);
                System.out.println(report);
            }
        }
        System.out.printf(
                "%d seeds from %d, %d found a fault: %s%n",
                seeds, from, failed.size(), failed.keySet());
        String file = System.getProperty("parley.sweep.json", "");
        if (!file.isEmpty()) {
            Files.writeString(Path.of(file), json(from, seeds, failed));
        }
        assertThat(failed.keySet()).isEmpty();
    }

    private static String json(long from, long seeds, Map<Long, String> failed) {
        return failed.entrySet().stream()
                .map(
                        entry ->
                                "{\"seed\": %d, \"fault\": \"%s\"}"
                                        .formatted(entry.getKey(), escaped(entry.getValue())))
                .collect(
                        Collectors.joining(
                                ", ",
                                "{\"from\": %d, \"seeds\": %d, \"failed\": ["
                                        .formatted(from, seeds),
                                "]}\n"));
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\r", "")
                .replace("\n", "\\n");
    }
}
