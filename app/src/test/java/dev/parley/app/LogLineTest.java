package dev.parley.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.otel.MaskedAddresses;
import java.time.Instant;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

        assertThat(new LineFormatter(true, true, Set.of()).format(line))
                .isEqualTo(
                        "{\"time\":\"2027-01-15T08:00:00Z\",\"level\":\"INFO\","
                                + "\"logger\":\"dev.parley.Test\",\"trace_id\":\""
                                + SESSION
                                + "\",\"session_id\":\""
                                + SESSION
                                + "\",\"message\":\"session="
                                + SESSION
                                + " from 203.0.113.x said \\\"a\\\"\\n\\\\b\"}\n");
    }

    @Test
    void addressesAreShownToThoseWhoAskForThem() {
        assertThat(
                        new LineFormatter(false, false, Set.of())
                                .format(line(Level.INFO, "from 203.0.113.7")))
                .endsWith(" INFO dev.parley.Test from 203.0.113.7\n");
    }

    @Test
    void addressesOfTheConfigAreNobodysSecret() {
        Set<String> own =
                MaskedAddresses.of("public_addresses: 203.0.113.10:3478, [2001:db8::1]:3478");

        assertThat(
                        new LineFormatter(false, true, own)
                                .format(
                                        line(
                                                Level.INFO,
                                                "on 203.0.113.10:3478 and [2001:db8::1]:3478,"
                                                        + " from 203.0.113.7")))
                .endsWith(" on 203.0.113.10:3478 and [2001:db8::1]:3478, from 203.0.113.x\n");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void masksAddressesThatAnExceptionNames(boolean json) {
        LogRecord line = line(Level.WARNING, "a request failed");
        line.setThrown(new IllegalStateException("203.0.113.7:5000 and [2001:db8:1:2::77]:5001"));

        assertThat(new LineFormatter(json, true, Set.of()).format(line))
                .contains("203.0.113.x:5000 and [2001:db8:1::x]:5001", "LogLineTest.java:")
                .doesNotContain("203.0.113.7", "::77");
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
