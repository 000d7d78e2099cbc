package dev.parley.app;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.regex.Pattern;

/**
 * Lets only so many warnings of one kind through in a while, and says with the next one how many
 * there were. What differs between them, numbers and ids, makes no other kind. Information about
 * the life of a process or a call is never left out. Shared by all threads.
 */
final class LineLimit implements Filter {
    private static final int MOST = 5;
    private static final Duration WHILE = Duration.ofSeconds(10);
    private static final int MAX_KINDS = 500;
    private static final Pattern DIFFERING = Pattern.compile("[0-9a-f]{8,}|[0-9]+");

    private static final class Kind {
        private Instant since = Instant.EPOCH;
        private int seen;
    }

    private final Map<String, Kind> kinds = new LinkedHashMap<>();

    @Override
    public synchronized boolean isLoggable(LogRecord line) {
        if (line.getLevel().intValue() < Level.WARNING.intValue()) {
            return true;
        }
        String message = String.valueOf(line.getMessage());
        Kind kind =
                kinds.computeIfAbsent(
                        line.getLoggerName() + DIFFERING.matcher(message).replaceAll("#"),
                        _ -> new Kind());
        if (kinds.size() > MAX_KINDS) {
            kinds.remove(kinds.keySet().iterator().next());
        }
        if (Duration.between(kind.since, line.getInstant()).compareTo(WHILE) >= 0) {
            int left = kind.seen - MOST;
            if (left > 0) {
                line.setMessage(message + " (" + left + " more lines like this were left out)");
            }
            kind.since = line.getInstant();
            kind.seen = 0;
        }
        kind.seen++;
        return kind.seen <= MOST;
    }
}
