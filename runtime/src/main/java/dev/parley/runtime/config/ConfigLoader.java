package dev.parley.runtime.config;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fills a process's config record. Every component is an {@link Option}; its key is the component's
 * name in snake_case. Where values come from, the first winning:
 *
 * <ol>
 *   <li>the environment, {@code PARLEY_} and the key in capitals: {@code PARLEY_MAX_SESSIONS};
 *       lists are separated by commas, maps are {@code key=value} pairs separated by commas
 *   <li>a file with the value alone, named by the environment with {@code _FILE} behind that:
 *       {@code PARLEY_ROUTE_KEYS_FILE}; so secrets stay out of the environment, which many can see
 *   <li>the YAML file, a flat map of keys
 *   <li>the option's default
 * </ol>
 *
 * <p>A key in the file that no option has is refused. Variables of the environment that match no
 * option are left alone, because several processes may share one environment. A value that can be
 * parsed but not used is refused by the record's own constructor, with a {@link ConfigException}.
 */
public final class ConfigLoader {
    /** What a variable of the environment that overrides an option begins with. */
    public static final String ENVIRONMENT_PREFIX = "PARLEY_";

    private static final String FILE_SUFFIX = "_FILE";

    private ConfigLoader() {}

    /**
     * Reads a file, the environment overriding it.
     *
     * @throws ConfigException when the file cannot be read or a value cannot be used
     */
    public static <R extends Record> R load(Class<R> type, Path yaml) {
        return load(type, yaml, System.getenv());
    }

    /**
     * Reads a file that another record is filled from as well, the environment overriding it.
     *
     * @param other whose keys are known too; no key may be of both
     * @throws ConfigException when a file cannot be read or a value cannot be used
     */
    public static <R extends Record> R loadBeside(
            Class<R> type, Class<? extends Record> other, Path yaml) {
        return loadBeside(type, other, yaml, System.getenv());
    }

    /** The same with this environment. */
    public static <R extends Record> R loadBeside(
            Class<R> type,
            Class<? extends Record> other,
            Path yaml,
            Map<String, String> environment) {
        return load(type, List.of(type, other), yaml, environment);
    }

    static <R extends Record> R load(Class<R> type, Path yaml, Map<String, String> environment) {
        return load(type, List.of(type), yaml, environment);
    }

    static <R extends Record> R load(
            Class<R> type,
            List<Class<? extends Record>> known,
            Path yaml,
            Map<String, String> environment) {
        Map<String, RawValue> values = ConfigFile.read(yaml);
        refuseUnknown(known, values);
        for (RecordComponent component : type.getRecordComponents()) {
            String key = key(component);
            String override = findOverride(type, key, environment);
            if (override != null) {
                values.put(key, new RawValue.Scalar(override));
            }
        }
        return fill(type, values);
    }

    /** The files that an environment names for a value alone each; they may change. */
    public static List<Path> valueFiles(
            Class<? extends Record> type, Map<String, String> environment) {
        List<String> keys = keys(type);
        return keys.stream()
                .filter(key -> !keys.contains(key + "_file"))
                .map(key -> ENVIRONMENT_PREFIX + key.toUpperCase(Locale.ROOT) + FILE_SUFFIX)
                .filter(environment::containsKey)
                .map(variable -> Path.of(environment.get(variable)))
                .toList();
    }

    private static @Nullable String findOverride(
            Class<?> type, String key, Map<String, String> environment) {
        String variable = ENVIRONMENT_PREFIX + key.toUpperCase(Locale.ROOT);
        String value = environment.get(variable);
        // An option of that name is meant by its variable, not this one.
        String file =
                keys(type).contains(key + "_file") ? null : environment.get(variable + FILE_SUFFIX);
        if (file == null) {
            return value;
        }
        if (value != null) {
            throw new ConfigException(
                    key
                            + ": "
                            + variable
                            + " and "
                            + variable
                            + FILE_SUFFIX
                            + " are both set; "
                            + "keep one");
        }
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException | InvalidPathException _) {
            throw new ConfigException(
                    key
                            + ": the file \""
                            + file
                            + "\" of "
                            + variable
                            + FILE_SUFFIX
                            + " cannot be read; give one with the value alone");
        }
    }

    private static List<String> keys(Class<?> type) {
        return Arrays.stream(type.getRecordComponents()).map(ConfigLoader::key).toList();
    }

    /**
     * Fills a config from text values, lists and maps written on one line; the environment does not
     * matter.
     *
     * @throws ConfigException when a value cannot be used
     */
    public static <R extends Record> R of(Class<R> type, Map<String, String> texts) {
        Map<String, RawValue> values = new LinkedHashMap<>();
        texts.forEach((key, text) -> values.put(key, new RawValue.Scalar(text)));
        refuseUnknown(List.of(type), values);
        return fill(type, values);
    }

    /** The effective config, one {@code key=value} per line, secrets masked. */
    public static String describe(Record config) {
        List<String> lines = new ArrayList<>();
        for (RecordComponent component : config.getClass().getRecordComponents()) {
            boolean secret = option(component).secret();
            lines.add(key(component) + "=" + OptionType.format(valueOf(config, component), secret));
        }
        return String.join("\n", lines);
    }

    private static void refuseUnknown(
            List<? extends Class<?>> types, Map<String, RawValue> values) {
        List<String> known = types.stream().flatMap(type -> keys(type).stream()).toList();
        for (String key : values.keySet()) {
            if (!known.contains(key)) {
                throw new ConfigException(key + ": unknown key; " + advice(key, known));
            }
        }
    }

    // Beyond half of its letters a likeness is chance.
    private static String advice(String key, List<String> known) {
        String nearest = nearest(key, known);
        return distance(key, nearest) <= key.length() / 2
                ? "did you mean " + nearest + "?"
                : "give one of " + String.join(", ", known);
    }

    private static String nearest(String key, List<String> known) {
        String best = known.getFirst();
        for (String candidate : known) {
            if (distance(key, candidate) < distance(key, best)) {
                best = candidate;
            }
        }
        return best;
    }

    // Levenshtein's distance, one row at a time.
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }

    private static <R extends Record> R fill(Class<R> type, Map<String, RawValue> values) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] arguments = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            arguments[i] = parse(components[i], values.get(key(components[i])));
        }
        try {
            var constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof ConfigException problem) {
                throw problem;
            }
            throw new IllegalStateException("cannot make " + type, e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make " + type, e);
        }
    }

    private static Object parse(RecordComponent component, @Nullable RawValue given) {
        String key = key(component);
        Option option = option(component);
        if (given == null && option.orElse().equals(Option.REQUIRED)) {
            throw new ConfigException(key + ": missing; set it (" + option.value() + ")");
        }
        RawValue value = given == null ? new RawValue.Scalar(option.orElse()) : given;
        try {
            return OptionType.parse(component.getGenericType(), value, option);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    key
                            + ": "
                            + shown(value, option)
                            + e.getMessage()
                            + " ("
                            + option.value()
                            + ")");
        }
    }

    private static String shown(RawValue value, Option option) {
        if (option.secret()) {
            return "the value ";
        }
        return switch (value) {
            case RawValue.Scalar(String text) -> "\"" + text + "\" ";
            case RawValue.Items(List<String> texts) -> texts + " ";
            case RawValue.Entries(Map<String, String> texts) -> texts + " ";
        };
    }

    private static Object valueOf(Record config, RecordComponent component) {
        try {
            var accessor = component.getAccessor();
            accessor.setAccessible(true);
            return accessor.invoke(config);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }

    private static Option option(RecordComponent component) {
        Option option = component.getAnnotation(Option.class);
        if (option == null) {
            throw new IllegalStateException(component + " lacks @Option");
        }
        return option;
    }

    /** {@code maxSessions} is the key {@code max_sessions}. */
    private static String key(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }
}
