package dev.parley.bench.telemetry;

import java.util.Map;

/**
 * How much a process tells of itself.
 *
 * @param name for people
 * @param sampledPercent of so many calls in a hundred the trace is exported
 * @param options of the process's config that make it so
 */
public record Setting(String name, int sampledPercent, Map<String, String> options) {
    /** Nothing at all. */
    static Setting off() {
        return new Setting("off", 0, Map.of("recent_calls", "0", "admin_address", "off"));
    }

    /** What a process does by itself: its operations page, and the spans of the last calls. */
    static Setting page() {
        return new Setting("operations page alone", 0, Map.of("admin_address", "127.0.0.1:0"));
    }

    /** The same, and to a collector the metrics and the traces of so many calls. */
    static Setting exported(int percent, String endpoint) {
        return new Setting(
                "exported, " + percent + " %",
                percent,
                Map.of(
                        "admin_address",
                        "127.0.0.1:0",
                        "otlp_endpoint",
                        endpoint,
                        "trace_ratio",
                        Double.toString(percent / 100.0)));
    }
}
