package dev.parley.runtime.config;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Turns text into the types that options may have, and back. Errors are {@link
 * IllegalArgumentException}s whose message reads on after the quoted value.
 */
final class OptionType {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,15})\\s*(ms|s|m|h)");

    private OptionType() {}

    static Object parse(Type type, RawValue value, Option option) {
        if (type instanceof ParameterizedType parameterized) {
            if (parameterized.getRawType() == List.class) {
                return list(parameterized.getActualTypeArguments()[0], value, option);
            }
            if (parameterized.getRawType() == Map.class) {
                return Collections.unmodifiableMap(new LinkedHashMap<>(RawValue.entries(value)));
            }
        }
        return scalar(type, RawValue.scalar(value), option);
    }

    private static List<Object> list(Type element, RawValue value, Option option) {
        List<Object> parsed = new ArrayList<>();
        for (String item : RawValue.items(value)) {
            parsed.add(scalar(element, item, option));
        }
        return List.copyOf(parsed);
    }

    private static Object scalar(Type type, String text, Option option) {
        return switch (type) {
            case Class<?> c when c == String.class -> text;
            case Class<?> c when c == int.class || c == Integer.class ->
                    Math.toIntExact(integer(text, option, true));
            case Class<?> c when c == long.class -> integer(text, option, false);
            case Class<?> c when c == double.class -> decimal(text, option);
            case Class<?> c when c == boolean.class -> bool(text);
            case Class<?> c when c == Duration.class -> duration(text, option);
            case Class<?> c when c == HostPort.class -> hostPort(text);
            case Class<?> c when c == Cidr.class -> cidr(text);
            case Class<?> c when c.isEnum() -> constant(c, text);
            default -> throw new IllegalStateException("no option can be of type " + type);
        };
    }

    private static long integer(String text, Option option, boolean narrow) {
        long value;
        try {
            value = Long.parseLong(text.replace("_", ""));
        } catch (NumberFormatException _) {
            throw new IllegalArgumentException("is not a whole number");
        }
        long min = narrow ? Math.max(option.min(), Integer.MIN_VALUE) : option.min();
        long max = narrow ? Math.min(option.max(), Integer.MAX_VALUE) : option.max();
        requireRange(value, min, max, "", "");
        return value;
    }

    private static double decimal(String text, Option option) {
        double value;
        try {
            value = Double.parseDouble(text);
        } catch (NumberFormatException _) {
            throw new IllegalArgumentException("is not a number");
        }
        if (!(value >= option.min() && value <= option.max())) {
            throw new IllegalArgumentException(range(option.min(), option.max(), ""));
        }
        return value;
    }

    private static boolean bool(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on" -> true; // as YAML 1.1 has it
            case "false", "no", "off" -> false;
            default -> throw new IllegalArgumentException("is neither true nor false");
        };
    }

    private static Duration duration(String text, Option option) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "is not a duration; write a whole number and ms, s, m or h, such as 20ms or 5s");
        }
        long amount = Long.parseLong(matcher.group(1));
        Duration value =
                switch (matcher.group(2)) {
                    case "ms" -> Duration.ofMillis(amount);
                    case "s" -> Duration.ofSeconds(amount);
                    case "m" -> Duration.ofMinutes(amount);
                    default -> Duration.ofHours(amount);
                };
        // Everything that waits counts nanoseconds in a long.
        long max = Math.min(option.max(), Long.MAX_VALUE / 1_000_000L);
        if (value.compareTo(Duration.ofMillis(max)) > 0
                || value.compareTo(Duration.ofMillis(Math.max(0, option.min()))) < 0) {
            throw new IllegalArgumentException(range(Math.max(0, option.min()), max, " ms"));
        }
        return value;
    }

    private static void requireRange(long value, long min, long max, String unit, String hint) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(range(min, max, unit) + hint);
        }
    }

    private static String range(long min, long max, String unit) {
        if (min == Long.MIN_VALUE) {
            return "is out of range; give at most " + max + unit;
        }
        return max == Long.MAX_VALUE
                ? "is out of range; give at least " + min + unit
                : "is out of range; give " + min + " to " + max + unit;
    }

    private static HostPort hostPort(String text) {
        try {
            return HostPort.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    e.getMessage() + "; write host:port, such as 127.0.0.1:3478 or [::1]:3478", e);
        }
    }

    private static Cidr cidr(String text) {
        try {
            return Cidr.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    e.getMessage() + "; write a range such as 10.0.0.0/8 or fd00::/8", e);
        }
    }

    private static Object constant(Class<?> type, String text) {
        for (Object constant : type.getEnumConstants()) {
            if (name(constant).equals(text.toLowerCase(Locale.ROOT).replace('-', '_'))) {
                return constant;
            }
        }
        String known =
                Arrays.stream(type.getEnumConstants())
                        .map(OptionType::name)
                        .collect(Collectors.joining(", "));
        throw new IllegalArgumentException("is unknown; give one of " + known);
    }

    private static String name(Object constant) {
        return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT);
    }

    /** The value as the file would write it on one line. */
    static String format(Object value, boolean secret) {
        return switch (value) {
            case Map<?, ?> map ->
                    map.entrySet().stream()
                            .map(e -> e.getKey() + "=" + scalarText(e.getValue(), secret))
                            .collect(Collectors.joining(","));
            case List<?> list ->
                    list.stream()
                            .map(item -> scalarText(item, secret))
                            .collect(Collectors.joining(","));
            default -> scalarText(value, secret);
        };
    }

    private static String scalarText(Object value, boolean secret) {
        if (secret) {
            return value.toString().isEmpty() ? "" : "****";
        }
        return switch (value) {
            case Duration duration -> durationText(duration);
            case Enum<?> constant -> name(constant);
            default -> value.toString();
        };
    }

    private static String durationText(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 60_000 == 0 && millis > 0) {
            return millis / 60_000 + "m";
        }
        return millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
    }
}
