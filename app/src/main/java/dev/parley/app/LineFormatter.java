package dev.parley.app;

import dev.parley.otel.MaskedAddresses;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line for each log record, as text or as JSON. A line that is about a call names its session,
 * which is its trace; JSON has it as {@code trace_id}. Owned by the handler.
 */
final class LineFormatter extends Formatter {
    private static final Pattern SESSION = Pattern.compile("\\bsession=([0-9a-f]{32})\\b");
    private static final DateTimeFormatter LOCAL =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS", Locale.ROOT)
                    .withZone(ZoneId.systemDefault());

    private final boolean json;
    private final boolean mask;

    /**
     * @param json rather than text
     * @param mask what tells one client's address from another's
     */
    LineFormatter(boolean json, boolean mask) {
        this.json = json;
        this.mask = mask;
    }

    @Override
    public String format(LogRecord line) {
        String raw = formatMessage(line);
        String message = mask ? MaskedAddresses.in(raw) : raw;
        return json ? json(line, message) : text(line, message);
    }

    private static String text(LogRecord line, String message) {
        return LOCAL.format(line.getInstant())
                + " "
                + line.getLevel()
                + " "
                + line.getLoggerName()
                + " "
                + message
                + (line.getThrown() == null ? "" : "\n" + stack(line.getThrown()).stripTrailing())
                + "\n";
    }

    private static String json(LogRecord line, String message) {
        StringBuilder out = new StringBuilder("{");
        put(out, "time", line.getInstant().toString());
        put(out, "level", line.getLevel().getName());
        put(out, "logger", String.valueOf(line.getLoggerName()));
        Matcher session = SESSION.matcher(message);
        if (session.find()) {
            put(out, "trace_id", session.group(1));
        }
        put(out, "message", message);
        if (line.getThrown() != null) {
            put(out, "exception", stack(line.getThrown()));
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
