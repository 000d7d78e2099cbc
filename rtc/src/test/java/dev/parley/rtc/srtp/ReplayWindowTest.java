package dev.parley.rtc.srtp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayWindowTest {
    private final ReplayWindow window = new ReplayWindow();

    @Test
    void tellsOldFromReplayed() {
        window.accept(0);
        window.accept(ReplayWindow.SIZE);

        assertThat(window.refusal(ReplayWindow.SIZE)).isEqualTo(SrtpVerdict.REPLAYED.code());
        assertThat(window.refusal(1)).isZero();
        assertThat(window.refusal(0)).isEqualTo(SrtpVerdict.TOO_OLD.code());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void acceptsEachIndexOnceWhateverTheOrder(long seed) {
        Random random = new Random(seed);
        Set<Long> accepted = new HashSet<>();
        long newest = random.nextInt(100_000);
        long highest = -1;
        for (int i = 0; i < 200_000; i++) {
            newest += random.nextInt(2_000) == 0 ? random.nextInt(3_000) : random.nextInt(3);
            long index = Math.max(0, newest - (long) Math.abs(random.nextGaussian() * 500));
            int expected = 0;
            if (index <= highest - ReplayWindow.SIZE) {
                expected = SrtpVerdict.TOO_OLD.code();
            } else if (accepted.contains(index)) {
                expected = SrtpVerdict.REPLAYED.code();
            }
            assertThat(window.refusal(index)).isEqualTo(expected);
            if (expected == 0) {
                window.accept(index);
                accepted.add(index);
                highest = Math.max(highest, index);
            }
        }
    }
}
