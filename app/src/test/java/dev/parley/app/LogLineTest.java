package dev.parley.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LogLineTest {
    private static final String SESSION = "0af7651916cd43dd8448eb211c80319c";

    private static LogRecord line(Level level, String message) {
        LogRecord line = new LogRecord(level, message);
        line.setLoggerName("dev.parley.Test");
        line.setInstant(Instant.ofEpochSecond(1_800_000_000L));
        return line;
    }

    @Test
    void jsonNamesTheTraceAndBreaksAtNothing() {
        LogRecord line =
                line(Level.INFO, "session=" + SESSION + " from 203.0.113.7 said \"a\"\n\\b");

        assertThat(new LineFormatter(true, true).format(line))
                .isEqualTo(
                        "{\"time\":\"2027-01-15T08:00:00Z\",\"level\":\"INFO\","
                                + "\"logger\":\"dev.parley.Test\",\"trace_id\":\""
                                + SESSION
                                + "\",\"message\":\"session="
                                + SESSION
                                + " from 203.0.113.x said \\\"a\\\"\\n\\\\b\"}\n");
    }

    @Test
    void addressesAreShownToThoseWhoAskForThem() {
        assertThat(new LineFormatter(false, false).format(line(Level.INFO, "from 203.0.113.7")))
                .endsWith(" INFO dev.parley.Test from 203.0.113.7\n");
    }

    @Test
    void leavesOutWarningsOfAKindAndSaysHowMany() {
        LineLimit limit = new LineLimit();
        int shown = 0;
        for (int i = 0; i < 100; i++) {
            shown += limit.isLoggable(line(Level.WARNING, "port " + i + " is taken")) ? 1 : 0;
        }
        LogRecord later = line(Level.WARNING, "port 7 is taken");
        later.setInstant(later.getInstant().plusSeconds(10));

        assertThat(shown).isEqualTo(5);
        assertThat(limit.isLoggable(line(Level.WARNING, "something else"))).isTrue();
        assertThat(limit.isLoggable(later)).isTrue();
        assertThat(later.getMessage())
                .isEqualTo("port 7 is taken (95 more lines like this were left out)");
    }

    @Test
    void callsComeAndGoInTheLogHoweverManyThereAre() {
        LineLimit limit = new LineLimit();
        for (int i = 0; i < 100; i++) {
            assertThat(limit.isLoggable(line(Level.INFO, "session started"))).isTrue();
        }
    }
}
