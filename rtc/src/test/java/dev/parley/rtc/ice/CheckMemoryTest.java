package dev.parley.rtc.ice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckMemoryTest {
    private final CheckMemory memory = new CheckMemory(99);

    @Test
    void knowsWhatWasAdded() {
        assertThat(memory.add(1, 2)).isTrue();
        assertThat(memory.add(1, 2)).isFalse();
        assertThat(memory.add(2, 1)).isTrue();
        assertThat(memory.add(0, 0)).isTrue();
        assertThat(memory.add(0, 0)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void knowsTheLastTransactionsHoweverManyCame(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] ids = new long[20_000];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = random.nextLong();
            assertThat(memory.add(7, ids[i])).isTrue();
            int back = random.nextInt(Math.min(i + 1, CheckMemory.GENERATION));
            assertThat(memory.add(7, ids[i - back])).as("%d before %d", back, i).isFalse();
        }
    }
}
