package dev.parley.app.load;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Writes maps, lists, numbers and texts as JSON; what is no number is null there. */
final class Json {
    private final StringBuilder out = new StringBuilder();

    private Json() {}

    static String text(Object value) {
        Json json = new Json();
        json.write(value, "\n");
        return json.out.append('\n').toString();
    }

    private void write(Object value, String line) {
        switch (value) {
            case Map<?, ?> map -> object(map, line);
            case List<?> list -> array(list, line);
            case Double number ->
                    out.append(
                            Double.isFinite(number)
                                    ? Double.toString(Math.round(number * 1e6) / 1e6)
                                    : "null");
            case Number number -> out.append(number);
            case Boolean truth -> out.append(truth);
            default -> string(value.toString());
        }
    }

    private void object(Map<?, ?> map, String line) {
        String inner = line + "  ";
        out.append('{');
        Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<?, ?> entry = entries.next();
            out.append(inner);
            string(String.valueOf(entry.getKey()));
            out.append(": ");
            write(entry.getValue() == null ? "" : entry.getValue(), inner);
            out.append(entries.hasNext() ? "," : line);
        }
        out.append('}');
    }

    private void array(List<?> list, String line) {
        String inner = line + "  ";
        out.append('[');
        for (int i = 0; i < list.size(); i++) {
            out.append(inner);
            write(list.get(i), inner);
            out.append(i + 1 < list.size() ? "," : line);
        }
        out.append(']');
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
