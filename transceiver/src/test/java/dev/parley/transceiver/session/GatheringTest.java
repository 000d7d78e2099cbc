package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GatheringTest {
    private static final long MILLI = 1_000_000;

    private final Gathering gathering = new Gathering(MILLI, 0);

    @Test
    void keepsNothingWaitingWhileThereAreFewCalls() {
        work(30, 0);

        assertThat(gathering.pauseNanos(200 * MILLI, 200 * MILLI)).isNotPositive();
    }

    @Test
    void letsPacketsGatherForTheRestOfAMillisecondWhenThereAreMany() {
        work(100, 0);

        assertThat(gathering.pauseNanos(200 * MILLI, 200 * MILLI + 300_000)).isEqualTo(700_000);
        assertThat(gathering.pauseNanos(200 * MILLI, 202 * MILLI)).isNotPositive();
    }

    @Test
    void noticesWhenCallsHaveLeft() {
        work(100, 0);
        work(0, 100 * MILLI);

        assertThat(gathering.pauseNanos(300 * MILLI, 300 * MILLI)).isNotPositive();
    }

    @Test
    void canBeToldNeverTo() {
        Gathering never = new Gathering(0, 0);
        never.worked(10_000, 100 * MILLI);

        assertThat(never.pauseNanos(200 * MILLI, 200 * MILLI)).isNotPositive();
    }

    /** 100 ms of so many calls, whose packets come and go every 20 ms. */
    private void work(int calls, long fromNanos) {
        for (long now = fromNanos; now <= fromNanos + 100 * MILLI; now += 20 * MILLI) {
            gathering.worked(2 * calls, now);
        }
    }
}
