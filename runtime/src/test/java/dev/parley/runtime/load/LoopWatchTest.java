package dev.parley.runtime.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopWatchTest {
    private static final long MILLI = 1_000_000L;

    private final LoopPulse one = new LoopPulse();
    private final LoopPulse other = new LoopPulse();
    private final List<Long> stalls = new ArrayList<>();
    private final List<Boolean> standstills = new ArrayList<>();
    private long now = 1;
    private final LoopWatch watch =
            new LoopWatch(List.of(one, other), stalls::add, standstills::add, now);

    private void look(long times) {
        for (int i = 0; i < times; i++) {
            now += LoopWatch.LOOK_NANOS;
            watch.look(now);
        }
    }

    private static void turn(LoopPulse loop) {
        loop.begin();
        loop.end();
    }

    @Test
    void aTurnThatIsSeenAgainAndAgainHoldsPacketsUp() {
        one.begin();
        look(4);
        one.end();
        look(1);

        assertThat(stalls).containsExactly(30 * MILLI);
        assertThat(standstills).isEmpty();
    }

    @Test
    void manyTurnsAndLongWaitsAreNone() {
        for (int i = 0; i < 1_000; i++) {
            one.begin();
            look(1);
            one.end();
            turn(one);
        }
        look(1_000);

        assertThat(stalls).isEmpty();
        assertThat(standstills).isEmpty();
    }

    @Test
    void aLoopThatDoesNotComeToAnEndStandsStillUntilItDoes() {
        one.begin();
        look(499);
        assertThat(watch.isStanding()).isFalse();
        look(2);
        assertThat(watch.isStanding()).isTrue();
        turn(other);
        look(10);
        assertThat(standstills).containsExactly(true);

        one.end();
        look(1);
        assertThat(watch.isStanding()).isFalse();
        assertThat(standstills).containsExactly(true, false);
        assertThat(stalls).containsExactly(5_100 * MILLI);
    }

    @Test
    void whoWasHeldUpItselfBlamesNobody() {
        one.begin();
        look(1);
        now += 10_000 * MILLI;
        watch.look(now);
        one.end();
        look(1);

        assertThat(stalls).isEmpty();
        assertThat(standstills).isEmpty();
    }
}
