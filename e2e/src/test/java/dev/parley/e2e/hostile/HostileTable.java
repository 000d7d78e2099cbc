package dev.parley.e2e.hostile;

import dev.parley.bench.Machine;
import dev.parley.e2e.drill.DrillReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the drills showed, a row each, for people; in Markdown. */
final class HostileTable {
    private static final List<String> COLUMNS =
            List.of(
                    "drill",
                    "attack, /s",
                    "counted",
                    "round trip p99 before, control, meanwhile",
                    "lost before, control, meanwhile",
                    "spoken before, meanwhile",
                    "relay",
                    "transceiver",
                    "signaling",
                    "bytes back",
                    "bounds");

    private HostileTable() {}

    static String of(List<DrillReport> drills) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(machine());
        lines.add("");
        lines.add(row(COLUMNS));
        lines.add(row(COLUMNS.stream().map(_ -> "---").toList()));
        drills.forEach(drill -> lines.add(row(cells(drill))));
        drills.stream()
                .filter(drill -> !drill.passed())
                .forEach(
                        drill -> {
                            lines.add("");
                            lines.add("`" + drill.name() + "` missed:");
                            lines.add("");
                            drill.missed().forEach(line -> lines.add("    " + line));
                        });
        return String.join(System.lineSeparator(), lines) + System.lineSeparator();
    }

    private static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |";
    }

    private static String machine() throws IOException {
        String load = Files.readString(Path.of("/proc/loadavg")).strip();
        return "%s; %d cores, %s, Linux %s, Java %s; load average at the end %s"
                .formatted(
                        LocalDate.now(ZoneOffset.UTC),
                        Runtime.getRuntime().availableProcessors(),
                        Machine.processor(),
                        System.getProperty("os.version"),
                        System.getProperty("java.version"),
                        load.substring(0, load.indexOf(' ')));
    }

    private static List<String> cells(DrillReport drill) {
        return List.of(
                "`" + drill.name().replaceFirst("^hostile-", "") + "`",
                figure(drill, "attack_sent_a_second", "%.0f", ""),
                figure(drill, "attack_counted_of_what_arrived", "%.1f", " %"),
                three(drill, "round_trip_%s_p99", "%.1f", " ms"),
                three(drill, "packets_lost_%s", "%.2f", " %"),
                figure(drill, "packets_spoken_before", "%.0f", "")
                        + ", "
                        + figure(drill, "packets_spoken_meanwhile", "%.0f", " /s"),
                held(drill, "relay"),
                held(drill, "transceiver"),
                held(drill, "signaling"),
                figure(drill, "bytes_that_came_back", "%.0f", "")
                        + sum(drill, "bytes_sent_to_forged_sources"),
                drill.passed() ? "kept" : "**missed**");
    }

    // Of a flood that no socket sent.
    private static String sum(DrillReport drill, String key) {
        return Double.isNaN(drill.value(key)) ? "" : " + " + figure(drill, key, "%.0f", "");
    }

    private static String three(DrillReport drill, String key, String format, String unit) {
        return String.join(
                ", ",
                figure(drill, key.formatted("before"), format, ""),
                figure(drill, key.formatted("control"), format, ""),
                figure(drill, key.formatted("meanwhile"), format, unit));
    }

    /** Resident MiB, threads and descriptors: before and the most meanwhile. */
    private static String held(DrillReport drill, String service) {
        return figure(drill, service + "_resident_before", "%.0f", "")
                + " to "
                + figure(drill, service + "_resident_meanwhile_most", "%.0f", " MiB")
                + ", "
                + figure(drill, service + "_threads_meanwhile_most", "%.0f", " threads")
                + ", "
                + figure(drill, service + "_descriptors_meanwhile_most", "%.0f", " files");
    }

    private static String figure(DrillReport drill, String key, String format, String unit) {
        double value = drill.value(key);
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value) + unit;
    }
}
