package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ReorderWaitTest {
    private static final long MILLI = 1_000_000L;
    private static final long BOUND = 60 * MILLI;

    private final ReorderWait wait = new ReorderWait(BOUND);

    @Test
    void waitsForASwapOfNeighboursBeforeItKnowsMore() {
        assertThat(wait.nanos(false)).isBetween(10 * MILLI, 20 * MILLI);
    }

    @Test
    void doesNotWaitWhereWhatIsMissingNeverComes() {
        for (int i = 0; i < 10; i++) {
            wait.neverCame();
        }
        assertThat(wait.nanos(false)).isZero();
    }

    @Test
    void waitsAsLongAsTheSwapsOfANetworkTake() {
        Random random = new Random(1);
        for (int i = 0; i < 40; i++) {
            wait.came((20 + random.nextInt(12)) * MILLI);
        }
        assertThat(wait.nanos(false)).isBetween(32 * MILLI, 36 * MILLI);
    }

    @Test
    void forgetsSwapsThatNoLongerHappen() {
        for (int i = 0; i < 40; i++) {
            wait.came(25 * MILLI);
        }
        for (int i = 0; i < 60; i++) {
            wait.neverCame();
        }
        assertThat(wait.nanos(false)).isZero();
    }

    @Test
    void waitsLessForWhatCanBeRepaired() {
        for (int i = 0; i < 40; i++) {
            wait.came(45 * MILLI);
        }
        assertThat(wait.nanos(false)).isGreaterThan(45 * MILLI);
        assertThat(wait.nanos(true)).isZero();
    }

    @Test
    void neverWaitsBeyondTheBound() {
        for (int i = 0; i < 100; i++) {
            wait.came(59 * MILLI);
            wait.came(500 * MILLI);
        }
        assertThat(wait.nanos(false)).isLessThanOrEqualTo(BOUND);
        assertThat(new ReorderWait(0).nanos(false)).isZero();
    }
}
