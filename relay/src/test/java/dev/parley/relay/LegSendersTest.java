package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LegSendersTest {
    private static final long IDLE = 1_000;

    private final LegSenders senders = new LegSenders(IDLE);

    @ParameterizedTest
    @ValueSource(ints = {0, 5, Integer.MAX_VALUE - 3, -2, Integer.MIN_VALUE})
    void eachNumberCountsOnceWhereverItGoesRound(int first) {
        int sender = senders.find(2, 9, first, 0);
        assertThat(senders.accept(sender, first, 0)).isTrue();
        assertThat(senders.accept(sender, first, 0)).isFalse();
        assertThat(senders.accept(sender, first + 3, 0)).isTrue();
        assertThat(senders.accept(sender, first + 1, 0)).as("overtaken").isTrue();
        assertThat(senders.accept(sender, first + 1, 0)).isFalse();
        assertThat(senders.accept(sender, first + 3, 0)).isFalse();
        assertThat(senders.accept(sender, first - 1, 0)).as("sent before the first").isTrue();
    }

    @Test
    void whatIsOlderThanTheWindowIsRefusedAndWhatEntersItIsNew() {
        int sender = senders.find(2, 9, 0, 0);
        for (int i = 0; i <= LegSenders.WINDOW; i++) {
            assertThat(senders.accept(sender, i, 0)).as("%d", i).isTrue();
        }
        assertThat(senders.accept(sender, 0, 0)).isFalse();
        assertThat(senders.accept(sender, 1, 0)).isFalse();
        assertThat(senders.accept(sender, LegSenders.WINDOW + 100, 0)).isTrue();
        assertThat(senders.accept(sender, LegSenders.WINDOW + 50, 0)).isTrue();
        assertThat(senders.accept(sender, 50 * LegSenders.WINDOW, 0)).isTrue();
        assertThat(senders.accept(sender, 50 * LegSenders.WINDOW - 1, 0)).isTrue();
        assertThat(senders.accept(sender, LegSenders.WINDOW + 99, 0)).isFalse();
    }

    @Test
    void eachStartOfEachClusterIsASenderOfItsOwn() {
        int one = senders.find(2, 9, 0, 0);
        assertThat(senders.accept(one, 0, 0)).isTrue();
        assertThat(senders.find(2, 9, 1, 0)).isEqualTo(one);
        int restarted = senders.find(2, 10, 0, 0);
        int other = senders.find(3, 9, 0, 0);
        assertThat(new int[] {one, restarted, other}).doesNotHaveDuplicates();
        assertThat(senders.accept(restarted, 0, 0)).isTrue();
        assertThat(senders.cluster(other)).isEqualTo(3);
    }

    @Test
    void silentOnesMakeRoomAndNobodyElseDoes() {
        int taken = 0;
        int sender = 0;
        for (; sender < 10 * LegSenders.MAX; sender++) {
            int number = senders.find(2, sender, 0, 0);
            taken += number == LegSenders.NONE ? 0 : 1;
            if (number != LegSenders.NONE) {
                assertThat(senders.accept(number, 0, 0)).isTrue();
            }
        }
        assertThat(taken).isBetween(LegSenders.MAX * 9 / 10, LegSenders.MAX);
        assertThat(senders.find(2, ++sender, 0, IDLE)).isEqualTo(LegSenders.NONE);
        assertThat(senders.find(2, ++sender, 0, IDLE + 1)).isNotEqualTo(LegSenders.NONE);
    }
}
