package dev.parley.bench.relay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Tables for people, JSON for programs. */
final class Report {
    private static final String BASELINE = "batched";

    private Report() {}

    /** Medians of all rounds, in the order they were first measured. */
    static List<Row> medians(List<Row> measured) {
        Map<String, List<Row>> groups = new LinkedHashMap<>();
        for (Row row : measured) {
            groups.computeIfAbsent(row.load() + " " + row.contestant(), _ -> new ArrayList<>())
                    .add(row);
        }
        return groups.values().stream().map(Row::median).toList();
    }

    static String table(List<Row> rows) {
        StringBuilder table = new StringBuilder();
        Map<Load, List<Row>> groups =
                rows.stream()
                        .collect(
                                Collectors.groupingBy(
                                        Row::load, LinkedHashMap::new, Collectors.toList()));
        groups.values().forEach(group -> group(table, group));
        return table.toString();
    }

    private static void group(StringBuilder table, List<Row> group) {
        table.append(String.format("%n%s%n", group.getFirst().load()));
        table.append(
                String.format(
                        "  %-12s %11s %8s %9s %9s %8s %8s %8s %9s %8s %6s%n",
                        "relay",
                        "packets/s",
                        "loss %",
                        "ns/packet",
                        "batched=1",
                        "+p50 us",
                        "+p99 us",
                        "+p99.9",
                        "alloc/pkt",
                        "RSS MiB",
                        "busy"));
        double baseline =
                group.stream()
                        .filter(row -> row.contestant().equals(BASELINE))
                        .mapToDouble(Row::cpuNanos)
                        .findFirst()
                        .orElse(Double.NaN);
        for (Row row : group) {
            table.append(
                    String.format(
                            Locale.ROOT,
                            "  %-12s %,11.0f %8.3f %,9.0f %9.2f %8.1f %8.1f %8.1f %9.3f %8.0f %5.0f%%%n",
                            row.contestant(),
                            row.pps(),
                            row.loss() * 100,
                            row.cpuNanos(),
                            row.cpuNanos() / baseline,
                            row.p50Micros(),
                            row.p99Micros(),
                            row.p999Micros(),
                            row.allocatedBytes(),
                            row.residentMib(),
                            row.busy() * 100));
        }
    }

    static String json(List<Row> rows, List<StartUp.Figures> starts) {
        String paced =
                rows.stream()
                        .filter(row -> !row.load().isMaximum())
                        .map(Report::pacedJson)
                        .collect(Collectors.joining(",\n    "));
        String maximum =
                rows.stream()
                        .filter(row -> row.load().isMaximum())
                        .map(Report::maximumJson)
                        .collect(Collectors.joining(",\n    "));
        String started =
                starts.stream().map(Report::startJson).collect(Collectors.joining(",\n    "));
        return "{\"rows\": [\n    "
                + paced
                + "],\n \"max\": [\n    "
                + maximum
                + "],\n \"start_up\": [\n    "
                + started
                + "]}\n";
    }

    private static String pacedJson(Row row) {
        return "{\"contestant\": \""
                + row.contestant()
                + "\", \"rate_pps\": "
                + row.load().rate()
                + ", \"payload_bytes\": "
                + row.load().payloadBytes()
                + ", \"flows\": "
                + row.load().flows()
                + ", \"cpu_ns_per_packet\": "
                + number(row.cpuNanos(), 1)
                + ", \"loss\": "
                + number(row.loss(), 6)
                + ", \"p50_us\": "
                + number(row.p50Micros(), 1)
                + ", \"p99_us\": "
                + number(row.p99Micros(), 1)
                + ", \"p999_us\": "
                + number(row.p999Micros(), 1)
                + ", \"alloc_bytes_per_packet\": "
                + number(row.allocatedBytes(), 4)
                + ", \"rss_mib\": "
                + number(row.residentMib(), 1)
                + "}";
    }

    private static String maximumJson(Row row) {
        return "{\"contestant\": \""
                + row.contestant()
                + "\", \"pps\": "
                + number(row.pps(), 0)
                + ", \"cpu_ns_per_packet\": "
                + number(row.cpuNanos(), 1)
                + ", \"loss\": "
                + number(row.loss(), 6)
                + ", \"busy\": "
                + number(row.busy(), 3)
                + "}";
    }

    private static String startJson(StartUp.Figures start) {
        return "{\"cache\": "
                + start.hasCache()
                + ", \"first_packet_ms\": "
                + number(start.startMillis(), 0)
                + ", \"sent\": "
                + start.sent()
                + ", \"lost\": "
                + start.lost()
                + "}";
    }

    private static String number(double value, int decimals) {
        return Double.isFinite(value)
                ? String.format(Locale.ROOT, "%." + decimals + "f", value)
                : "null";
    }
}
