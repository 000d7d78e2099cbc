package dev.parley.otel;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, numbers and texts as JSON, RFC 8259. */
final class JsonText {
    private JsonText() {}

    static String of(@Nullable Object value) {
        return switch (value) {
            case null -> "null";
            case Map<?, ?> map ->
                    map.entrySet().stream()
                            .map(e -> quoted(String.valueOf(e.getKey())) + ":" + of(e.getValue()))
                            .collect(Collectors.joining(",", "{", "}"));
            case List<?> list ->
                    list.stream().map(JsonText::of).collect(Collectors.joining(",", "[", "]"));
            case Double number -> Double.isFinite(number) ? number.toString() : "null";
            case Number number -> number.toString();
            case Boolean bool -> bool.toString();
            default -> quoted(value.toString());
        };
    }

    // RFC 8259 7: quotation mark, reverse solidus and controls must be escaped. "<" is as well, so
    // that no text ends a script.
    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c == '<' || c == 0x7F) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
