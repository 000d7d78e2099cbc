package dev.parley.inferencestub.script;

import dev.parley.inferencestub.script.Script.Turn;
import io.grpc.Status;
import io.helidon.common.media.type.MediaTypes;
import io.helidon.config.Config;
import io.helidon.config.ConfigException;
import io.helidon.config.ConfigSources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads scripts written in YAML, of which JSON is a part. {@code docs/inference.md} shows one. */
public final class ScriptParser {
    private static final int MAX_STEPS = 1_000;
    private static final Pattern CALL = Pattern.compile("([A-Za-z0-9_-]{1,64}) (\\{.*\\})");
    private static final Pattern DURATION = Pattern.compile("(\\d{1,7})(ms|s|m)");
    private static final List<String> TURN_KEYS =
            List.of("when", "matching", "interruptible", "stutter", "do");

    /** Reads the value of a step. */
    private interface Reader {
        Step read(String value, String place) throws ScriptException;
    }

    private static final Map<String, Reader> STEPS = new TreeMap<>();

    static {
        STEPS.put("say", (value, _) -> new Step.Say(value));
        STEPS.put("tone", (value, place) -> new Step.Tone(duration(value, place)));
        STEPS.put("pause", (value, place) -> new Step.Pause(duration(value, place)));
        STEPS.put("tell", (value, _) -> new Step.Tell(value));
        STEPS.put("call", ScriptParser::call);
        STEPS.put("event", (value, _) -> new Step.Event(value));
        STEPS.put("mark", (value, _) -> new Step.MarkHere(value));
        STEPS.put("clear", (_, _) -> new Step.Clear());
        STEPS.put("hang_up", (value, _) -> new Step.HangUp(value));
        STEPS.put("stop_reading", (value, place) -> new Step.StopReading(duration(value, place)));
        STEPS.put("fail", (value, place) -> new Step.Fail(statusCode(value, place)));
        STEPS.put("huge", (value, place) -> new Step.Huge(bytes(value, place)));
        STEPS.put("half_sample", (_, _) -> new Step.HalfSample());
        STEPS.put("ready_again", (_, _) -> new Step.ReadyAgain());
    }

    private ScriptParser() {}

    /**
     * Reads a script.
     *
     * @throws ScriptException naming the first place that is wrong
     */
    public static Script parse(String yaml) throws ScriptException {
        Config root;
        try {
            root =
                    Config.builder(ConfigSources.create(yaml, MediaTypes.APPLICATION_X_YAML))
                            .disableEnvironmentVariablesSource()
                            .disableSystemPropertiesSource()
                            .disableValueResolving()
                            .disableKeyResolving()
                            .build();
        } catch (ConfigException e) {
            throw new ScriptException("", "is neither YAML nor JSON: " + e.getMessage());
        }
        requireKeys(root, List.of("ready_after", "turns"));
        Config turns = root.get("turns");
        if (!turns.isList()) {
            throw new ScriptException("turns", "must be a list of turns");
        }
        List<Turn> read = new ArrayList<>();
        for (Config turn : turns.asNodeList().orElse(List.of())) {
            read.add(turn(turn));
        }
        if (read.stream().mapToInt(turn -> turn.steps().size()).sum() > MAX_STEPS) {
            throw new ScriptException("turns", "has more than " + MAX_STEPS + " steps");
        }
        return new Script(durationAt(root.get("ready_after")), List.copyOf(read));
    }

    private static Turn turn(Config node) throws ScriptException {
        requireKeys(node, TURN_KEYS);
        if (!node.get("do").isList()) {
            throw new ScriptException(place(node.get("do")), "must be a list of steps");
        }
        List<Step> steps = new ArrayList<>();
        for (Config step : node.get("do").asNodeList().orElse(List.of())) {
            steps.add(step(step));
        }
        return new Turn(
                trigger(node.get("when")),
                node.get("matching").asString().orElse(""),
                node.get("interruptible").asString().orElse("true").equals("true"),
                durationAt(node.get("stutter")),
                List.copyOf(steps));
    }

    private static Step step(Config node) throws ScriptException {
        List<Config> entries = node.isObject() ? node.asNodeList().orElse(List.of()) : List.of();
        if (entries.size() != 1) {
            throw new ScriptException(
                    place(node), "must be one step with its value, as in \"say: hello\"");
        }
        Config entry = entries.getFirst();
        Reader reader = STEPS.get(entry.name());
        if (reader == null) {
            throw new ScriptException(
                    place(entry), "is no step; steps are " + String.join(", ", STEPS.keySet()));
        }
        return reader.read(entry.asString().orElse(""), place(entry));
    }

    private static Trigger trigger(Config node) throws ScriptException {
        String label = node.asString().orElse(Trigger.NOW.label());
        for (Trigger trigger : Trigger.values()) {
            if (trigger.label().equals(label)) {
                return trigger;
            }
        }
        throw new ScriptException(
                place(node),
                "cannot be \""
                        + label
                        + "\"; use "
                        + Arrays.stream(Trigger.values())
                                .map(Trigger::label)
                                .collect(Collectors.joining(", ")));
    }

    private static Duration durationAt(Config node) throws ScriptException {
        return node.exists() ? duration(node.asString().orElse(""), place(node)) : Duration.ZERO;
    }

    private static Duration duration(String value, String place) throws ScriptException {
        Matcher matcher = DURATION.matcher(value);
        if (!matcher.matches()) {
            throw new ScriptException(
                    place, "must be a duration such as 300ms or 2s, not \"" + value + "\"");
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            default -> Duration.ofMinutes(number);
        };
    }

    private static Status.Code statusCode(String value, String place) throws ScriptException {
        try {
            return Status.Code.valueOf(value.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException _) {
            throw new ScriptException(
                    place, "must be a gRPC status code such as unavailable, not \"" + value + "\"");
        }
    }

    private static Step call(String value, String place) throws ScriptException {
        Matcher matcher = CALL.matcher(value);
        if (!matcher.matches()) {
            throw new ScriptException(
                    place,
                    "must be a tool and its arguments, as in weather {\"city\": \"Bonn\"}, not \""
                            + value
                            + "\"");
        }
        return new Step.Call(matcher.group(1), matcher.group(2));
    }

    private static int bytes(String value, String place) throws ScriptException {
        // A number that has been through a protobuf Struct is a double.
        if (!value.matches("\\d{1,8}(\\.0)?")) {
            throw new ScriptException(place, "must be a number of bytes, not \"" + value + "\"");
        }
        return (int) Double.parseDouble(value);
    }

    private static void requireKeys(Config node, List<String> known) throws ScriptException {
        if (!node.isObject()) {
            throw new ScriptException(place(node), "must be a map with " + known);
        }
        for (Config child : node.asNodeList().orElse(List.of())) {
            if (!known.contains(child.name())) {
                throw new ScriptException(place(child), "is unknown; known are " + known);
            }
        }
    }

    private static String place(Config node) {
        return node.key().toString();
    }
}
