package dev.parley.bench.all;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code bench relay} says of our batched relay; in a process of its own, as it pins itself.
 */
final class RelayFigures {
    private static final Pattern PACED =
            Pattern.compile(
                    "\"rate_pps\": 25000.*?\"cpu_ns_per_packet\": ([0-9.]+).*?\"p99_us\": ([0-9.]+)");
    private static final Pattern MAXIMUM =
            Pattern.compile("\"pps\": ([0-9]+), \"cpu_ns_per_packet\": ([0-9.]+)");

    private RelayFigures() {}

    static Map<String, List<Double>> measure(int rounds) throws IOException, InterruptedException {
        Map<String, List<Double>> figures = new LinkedHashMap<>();
        for (int i = 0; i < rounds; i++) {
            String json = run();
            add(figures, "relay.us_per_packet at 50,000 a second", find(PACED, json, 1) / 1e3);
            add(figures, "relay.added_p99_us at 50,000 a second", find(PACED, json, 2));
            add(figures, "relay.most packets/s", find(MAXIMUM, json, 1));
            add(figures, "relay.us_per_packet at most", find(MAXIMUM, json, 2) / 1e3);
        }
        return figures;
    }

    private static String run() throws IOException, InterruptedException {
        Path json = Files.createTempFile("parley-relay-", ".json");
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(
                List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.parley.bench.Main",
                        "relay",
                        "--only",
                        "batched",
                        "--rounds",
                        "1",
                        "--rates",
                        "25000,max",
                        "--json",
                        json.toString()));
        Process process =
                new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        if (process.waitFor() != 0) {
            throw new IOException("bench relay has failed");
        }
        String text = Files.readString(json);
        Files.delete(json);
        return text;
    }

    private static double find(Pattern pattern, String json, int group) throws IOException {
        Matcher matcher = pattern.matcher(json);
        if (!matcher.find()) {
            throw new IOException("bench relay tells nothing like " + pattern + ": " + json);
        }
        return Double.parseDouble(matcher.group(group));
    }

    private static void add(Map<String, List<Double>> figures, String name, double value) {
        figures.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
    }
}
