package dev.parley.bench.all;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Figures of an earlier run, as {@code bench/baseline.json} keeps them: one on each line.
 *
 * @param machine that they were made on, and when
 */
record Baseline(String machine, Map<String, Spread> figures) {
    static final Baseline EMPTY = new Baseline("", Map.of());

    private static final Pattern MACHINE = Pattern.compile("\\s*\"machine\": \"([^\"]*)\",?");

    private static final Pattern LINE =
            Pattern.compile(
                    "\\s*\"([^\"]+)\": \\{\"median\": ([-0-9.E]+), \"low\": ([-0-9.E]+), \"high\": ([-0-9.E]+)},?");

    static Baseline read(Path file) throws IOException {
        Map<String, Spread> figures = new HashMap<>();
        String machine = "";
        for (String line : Files.readAllLines(file)) {
            Matcher matcher = LINE.matcher(line);
            Matcher named = MACHINE.matcher(line);
            machine = named.matches() ? named.group(1) : machine;
            if (matcher.matches()) {
                figures.put(
                        matcher.group(1),
                        new Spread(
                                Double.parseDouble(matcher.group(2)),
                                Double.parseDouble(matcher.group(3)),
                                Double.parseDouble(matcher.group(4))));
            }
        }
        return new Baseline(machine, figures);
    }

    @Nullable Spread find(String name) {
        return figures.get(name);
    }

    /** Whether figures of a machine can be compared with these, whatever the day. */
    boolean isOf(String other) {
        return withoutDate(machine).equals(withoutDate(other));
    }

    private static String withoutDate(String machine) {
        return machine.substring(0, Math.max(0, machine.lastIndexOf(',')));
    }

    /** The same with what was measured anew. */
    Baseline with(String measuredOn, Map<String, List<Double>> rounds) {
        Map<String, Spread> all = new TreeMap<>(figures);
        rounds.forEach((name, values) -> all.put(name, Spread.of(values)));
        return new Baseline(measuredOn, all);
    }

    String text() {
        return figures.entrySet().stream()
                .map(each -> line(each.getKey(), each.getValue()))
                .collect(
                        Collectors.joining(
                                ",\n", "{\n  \"machine\": \"" + machine + "\",\n", "\n}\n"));
    }

    private static String line(String name, Spread spread) {
        return String.format(
                Locale.ROOT,
                "  \"%s\": {\"median\": %.4f, \"low\": %.4f, \"high\": %.4f}",
                name,
                spread.median(),
                spread.low(),
                spread.high());
    }
}
