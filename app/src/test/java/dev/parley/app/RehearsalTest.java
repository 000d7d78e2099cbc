package dev.parley.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** What a process does before it is ready. */
class RehearsalTest {
    private static final Logger PRODUCT = Logger.getLogger("dev.parley");

    @Test
    void carriesCallsAndThenSpeaksAsBefore() {
        PRODUCT.setLevel(Level.FINE);

        assertThat(Rehearsal.run(Duration.ofSeconds(1))).isGreaterThanOrEqualTo(8);

        assertThat(PRODUCT.getLevel()).isEqualTo(Level.FINE);
        PRODUCT.setLevel(null);
    }

    @Test
    void isLeftOutOnRequest() {
        assertThat(Rehearsal.run(Duration.ZERO)).isZero();
    }
}
