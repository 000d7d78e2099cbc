package dev.parley.runtime.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What stands behind a key before anyone knows its type. */
sealed interface RawValue {
    record Scalar(String text) implements RawValue {}

    record Items(List<String> texts) implements RawValue {}

    record Entries(Map<String, String> texts) implements RawValue {}

    /** As a list; a scalar is split at commas. */
    static List<String> items(RawValue value) {
        return switch (value) {
            case Scalar(String text) -> split(text);
            case Items(List<String> texts) -> texts;
            case Entries _ -> throw new IllegalArgumentException("is a map, not a list");
        };
    }

    /** As a map; a scalar or each item of a list is read as {@code key=value}. */
    static Map<String, String> entries(RawValue value) {
        return switch (value) {
            case Scalar(String text) -> pairs(split(text));
            case Items(List<String> texts) -> pairs(texts);
            case Entries(Map<String, String> texts) -> texts;
        };
    }

    static String scalar(RawValue value) {
        return switch (value) {
            case Scalar(String text) -> text.strip();
            case Items _ -> throw new IllegalArgumentException("is a list, not a single value");
            case Entries _ -> throw new IllegalArgumentException("is a map, not a single value");
        };
    }

    private static List<String> split(String text) {
        return text.isBlank() ? List.of() : List.of(text.strip().split("\\s*,\\s*", -1));
    }

    private static Map<String, String> pairs(List<String> texts) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String text : texts) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("has an entry that is not key=value");
            }
            pairs.put(text.substring(0, equals).strip(), text.substring(equals + 1).strip());
        }
        return pairs;
    }
}
