package dev.parley.bench.telemetry;

import dev.parley.bench.audio.TransceiverTelemetry;
import dev.parley.bench.relay.RelayTelemetry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code bench telemetry}: what a relay's packets, a transceiver's calls and the spans
 * of one call cost, by how much is told. Medians of rounds in which each setting has its turn.
 */
public final class TelemetryBench {
    private static final String USAGE =
            """
            usage: ./parley bench telemetry [--rounds N] [--seconds N] [--sessions N] [--json FILE]

              --rounds    of which medians are shown (default 3)
              --seconds   of each measurement of a transceiver (default 10)
              --sessions  calls at once (default 50)
            """;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int RELAY_ROUNDS = 3;
    private static final String RELAY = "relay, ns a packet";
    private static final String TRANSCEIVER = "transceiver, ms a call and second";
    private static final String SPANS = "spans of a call, µs";

    private final Map<Setting, Map<String, List<Double>>> figures = new LinkedHashMap<>();

    private TelemetryBench() {}

    /** Exits with 2 when it cannot understand what is wanted. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int rounds = 3;
        int seconds = 10;
        int sessions = 50;
        String json = null;
        for (int i = 0; i < arguments.length; i += 2) {
            String value = i + 1 < arguments.length ? arguments[i + 1] : "";
            switch (arguments[i]) {
                case "--rounds" -> rounds = Integer.parseInt(value);
                case "--seconds" -> seconds = Integer.parseInt(value);
                case "--sessions" -> sessions = Integer.parseInt(value);
                case "--json" -> json = value;
                default -> {
                    System.err.print(USAGE);
                    System.exit(2);
                }
            }
        }
        new TelemetryBench().run(rounds, seconds, sessions, json);
    }

    private void run(int rounds, int seconds, int sessions, @Nullable String json)
            throws IOException, InterruptedException {
        try (OtlpSink collector = OtlpSink.start()) {
            List<Setting> settings =
                    List.of(
                            Setting.off(),
                            Setting.page(),
                            Setting.exported(1, collector.endpoint()),
                            Setting.exported(100, collector.endpoint()));
            RelayTelemetry.nanosPerPacket(settings, RELAY_ROUNDS * rounds, WINDOW_NANOS)
                    .forEach((setting, nanos) -> columns(setting).put(RELAY, nanos));
            for (int round = 0; round < rounds; round++) {
                for (Setting setting : settings) {
                    add(
                            setting,
                            TRANSCEIVER,
                            TransceiverTelemetry.millisPerSecond(setting, sessions, seconds));
                    add(setting, SPANS, SpanCost.micros(setting));
                }
            }
        }
        System.out.println(table());
        if (json != null) {
            Files.writeString(Path.of(json), json());
        }
    }

    private Map<String, List<Double>> columns(Setting setting) {
        return figures.computeIfAbsent(setting, _ -> new LinkedHashMap<>());
    }

    private void add(Setting setting, String column, double value) {
        columns(setting).computeIfAbsent(column, _ -> new ArrayList<>()).add(value);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }

    private String table() {
        StringBuilder table =
                new StringBuilder("| processor time | ")
                        .append(String.join(" | ", List.of(RELAY, TRANSCEIVER, SPANS)))
                        .append(" |\n| --- | --- | --- | --- |\n");
        figures.forEach(
                (setting, columns) -> {
                    table.append("| ").append(setting.name());
                    columns.forEach(
                            (column, values) ->
                                    table.append(
                                            String.format(
                                                    Locale.ROOT,
                                                    column.equals(TRANSCEIVER)
                                                            ? " | %.2f (%.2f to %.2f)"
                                                            : " | %.0f (%.0f to %.0f)",
                                                    median(values),
                                                    values.stream()
                                                            .min(Double::compare)
                                                            .orElse(0.0),
                                                    values.stream()
                                                            .max(Double::compare)
                                                            .orElse(0.0))));
                    table.append(" |\n");
                });
        return table.toString();
    }

    private String json() {
        return figures.entrySet().stream()
                .map(
                        row ->
                                "  \""
                                        + row.getKey().name()
                                        + "\": {"
                                        + row.getValue().entrySet().stream()
                                                .map(
                                                        column ->
                                                                "\"%s\": %.4f"
                                                                        .formatted(
                                                                                column.getKey(),
                                                                                median(
                                                                                        column
                                                                                                .getValue())))
                                                .collect(Collectors.joining(", "))
                                        + "}")
                .collect(Collectors.joining(",\n", "{\n", "\n}\n"));
    }
}
