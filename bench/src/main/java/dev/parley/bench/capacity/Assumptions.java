package dev.parley.bench.capacity;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The numbers that the model starts from, each with its name, so that any can be set to another.
 * Costs are measured by this repository's benches; docs/capacity.md says by which, and what is
 * assumed.
 */
final class Assumptions {
    /** One of them. */
    record Value(String name, double value, String meaning) {
        /** Whether it cannot be more than 1. */
        boolean isShare() {
            return name.endsWith("_share") || name.startsWith("speaking_");
        }
    }

    private static final List<Value> ALL =
            List.of(
                    new Value("relay_us_per_packet", 6.2, "processor time of a relay per packet"),
                    new Value(
                            "leg_us_per_packet",
                            2.2,
                            "what sealing and the leg's socket add to that, for each relay of two"),
                    new Value("relay_share", 0.5, "of a relay core's time that is planned for"),
                    new Value(
                            "opus_call_ms",
                            1.0,
                            "of a transceiver core, per second of a call whose agent speaks Opus"),
                    new Value(
                            "pcm_silent_ms", 1.6, "the same, agent speaks PCM, while it is silent"),
                    new Value("pcm_speaking_ms", 15.8, "and while it speaks, which is encoded"),
                    new Value("pcm_share", 1.0, "of calls whose agents speak PCM"),
                    new Value("talk_share", 0.33, "of a call in which its agent speaks"),
                    new Value("setup_ms", 2.0, "of a transceiver core, for one set-up"),
                    new Value(
                            "transceiver_share",
                            0.7,
                            "of a transceiver core's time that is planned for"),
                    new Value("call_minutes", 6, "how long a call lasts"),
                    new Value("packets_per_second", 50, "media packets one way"),
                    new Value("payload_bytes", 104, "SRTP of 20 ms of Opus at 32 kb/s"),
                    new Value("speaking_up", 1.0, "of the time that the caller's packets flow"),
                    new Value("speaking_down", 1.0, "of the time that the agent's packets flow"),
                    new Value("away_share", 0.15, "of calls that live in another cluster"),
                    new Value("peak_factor", 1.3, "of a busy day over a usual one"),
                    new Value("spare", 0.34, "more than needed, for a third of a region's zones"),
                    new Value("relay_cores", 4, "cores of a relay's machine"),
                    new Value("transceiver_cores", 4, "cores of a transceiver"));

    private final Map<String, Double> values = new LinkedHashMap<>();

    Assumptions() {
        ALL.forEach(value -> values.put(value.name(), value.value()));
    }

    private Assumptions(Assumptions other) {
        values.putAll(other.values);
    }

    static List<Value> all() {
        return ALL;
    }

    /** Milliseconds of a transceiver core for each second of a call. */
    double callMillis() {
        double talk = get("talk_share");
        double pcm = get("pcm_silent_ms") * (1 - talk) + get("pcm_speaking_ms") * talk;
        return get("pcm_share") * pcm + (1 - get("pcm_share")) * get("opus_call_ms");
    }

    double get(String name) {
        Double value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("there is no " + name);
        }
        return value;
    }

    /** The same with another value. */
    Assumptions with(String name, double value) {
        if (!values.containsKey(name)) {
            throw new IllegalArgumentException(
                    "there is no " + name + "; there are " + String.join(", ", values.keySet()));
        }
        Assumptions changed = new Assumptions(this);
        changed.values.put(name, value);
        return changed;
    }
}
