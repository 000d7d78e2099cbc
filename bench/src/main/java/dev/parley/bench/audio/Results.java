package dev.parley.bench.audio;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Figures of several rounds by row and column; prints their medians and writes them as JSON. */
final class Results {
    private final String what;
    private final Map<String, Map<String, List<Double>>> rows = new LinkedHashMap<>();

    /**
     * @param what the rows are
     */
    Results(String what) {
        this.what = what;
    }

    void add(String row, String column, double value) {
        rows.computeIfAbsent(row, _ -> new LinkedHashMap<>())
                .computeIfAbsent(column, _ -> new ArrayList<>())
                .add(value);
    }

    /** Adds percentiles of values in nanoseconds as milliseconds. */
    void addMillis(String row, String prefix, long[] nanos, double... percentiles) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        for (double percentile : percentiles) {
            String name =
                    percentile >= 100
                            ? "max"
                            : "p" + (percentile % 1 == 0 ? (int) percentile + "" : percentile + "");
            add(row, (prefix + " " + name).strip(), percentile(sorted, percentile) / 1e6);
        }
    }

    private static double percentile(long[] sorted, double percentile) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int index = (int) Math.ceil(percentile / 100 * sorted.length) - 1;
        return sorted[Math.clamp(index, 0, sorted.length - 1)];
    }

    /** A Markdown table of the medians. */
    String table() {
        List<String> columns =
                rows.values().stream().flatMap(r -> r.keySet().stream()).distinct().toList();
        StringBuilder text = new StringBuilder("| ").append(what);
        columns.forEach(column -> text.append(" | ").append(column));
        text.append(" |\n|").append(" --- |".repeat(columns.size() + 1)).append('\n');
        rows.forEach(
                (row, values) -> {
                    text.append("| ").append(row);
                    for (String column : columns) {
                        text.append(" | ").append(number(median(values.get(column))));
                    }
                    text.append(" |\n");
                });
        return text.toString();
    }

    private static String number(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.2f", value) : "";
    }

    private static double median(@org.jspecify.annotations.Nullable List<Double> values) {
        if (values == null || values.isEmpty()) {
            return Double.NaN;
        }
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private String json() {
        return rows.entrySet().stream()
                .map(
                        row ->
                                "  \""
                                        + row.getKey()
                                        + "\": {"
                                        + row.getValue().entrySet().stream()
                                                .map(Results::json)
                                                .collect(Collectors.joining(", "))
                                        + "}")
                .collect(Collectors.joining(",\n", "{\n", "\n}\n"));
    }

    private static String json(Map.Entry<String, List<Double>> column) {
        double value = median(column.getValue());
        String text = Double.isFinite(value) ? String.format(Locale.ROOT, "%.4f", value) : "null";
        return "\"" + column.getKey() + "\": " + text;
    }

    /** Prints the table, and writes JSON if a file was named. */
    void report(AudioOptions options) throws IOException {
        report(options.json());
    }

    /** The same, with the file's name or null. */
    void report(@org.jspecify.annotations.Nullable String file) throws IOException {
        System.out.println(table());
        if (file != null) {
            Files.writeString(Path.of(file), json());
        }
    }
}
