package dev.parley.runtime.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CongestionTest {
    private static final long MILLI = 1_000_000L;

    private final Congestion congestion = new Congestion(Duration.ofMillis(100));
    private long now = 1;

    private boolean ran(long lateMillis) {
        now += (50 + lateMillis) * MILLI;
        congestion.ran(lateMillis * MILLI, now);
        return congestion.isStanding();
    }

    @Test
    void aDelayThatStaysIsCongestion() {
        assertThat(ran(150)).isFalse();
        assertThat(ran(150)).isFalse();
        assertThat(ran(150)).isTrue();
    }

    @Test
    void onePauseIsNot() {
        assertThat(ran(400)).isFalse();
        assertThat(ran(0)).isFalse();
        assertThat(ran(400)).isFalse();
    }

    @Test
    void aLongPauseIsCongestionUntilItIsOver() {
        assertThat(ran(2_000)).isTrue();
        assertThat(ran(0)).isFalse();
    }

    @Test
    void delaysBelowTheTargetAreNone() {
        for (int i = 0; i < 100; i++) {
            assertThat(ran(100)).isFalse();
        }
    }
}
