package dev.parley.app;

import dev.parley.otel.MaskedAddresses;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Set;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line for each log record, as text or as JSON. A line that is about a call names its session,
 * which is its trace; JSON has it as {@code trace_id} and {@code session_id}. Owned by the handler.
 */
final class LineFormatter extends Formatter {
    private static final Pattern SESSION = Pattern.compile("\\bsession=([0-9a-f]{32})\\b");
    private static final DateTimeFormatter LOCAL =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS", Locale.ROOT)
                    .withZone(ZoneId.systemDefault());

    private final boolean json;
    private final boolean mask;
    private final Set<String> shown;

    /**
     * @param json rather than text
     * @param mask what tells one client's address from another's
     * @param shown addresses that are not masked
     */
    LineFormatter(boolean json, boolean mask, Set<String> shown) {
        this.json = json;
        this.mask = mask;
        this.shown = shown;
    }

    @Override
    public String format(LogRecord line) {
        String message = masked(formatMessage(line));
        String stack = line.getThrown() == null ? "" : masked(stack(line.getThrown()));
        return json ? json(line, message, stack) : text(line, message, stack);
    }

    private String masked(String text) {
        return mask ? MaskedAddresses.in(text, shown) : text;
    }

    private static String text(LogRecord line, String message, String stack) {
        return LOCAL.format(line.getInstant())
                + " "
                + line.getLevel()
                + " "
                + line.getLoggerName()
                + " "
                + message
                + (stack.isEmpty() ? "" : "\n" + stack.stripTrailing())
                + "\n";
    }

    private static String json(LogRecord line, String message, String stack) {
        StringBuilder out = new StringBuilder("{");
        put(out, "time", line.getInstant().toString());
        put(out, "level", line.getLevel().getName());
        put(out, "logger", String.valueOf(line.getLoggerName()));
        Matcher session = SESSION.matcher(message);
        if (session.find()) {
            put(out, "trace_id", session.group(1));
            put(out, "session_id", session.group(1));
        }
        put(out, "message", message);
        if (!stack.isEmpty()) {
            put(out, "exception", stack);
        }
        return out.append("}\n").toString();
    }

    private static void put(StringBuilder out, String name, String value) {
        out.append(out.length() > 1 ? ",\"" : "\"").append(name).append("\":\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ') {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private static String stack(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
