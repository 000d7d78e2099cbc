package dev.parley.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TrendTest {
    @Test
    void tellsALeakFromNoise() {
        Trend leak = heap(minute -> 100 + 0.2 * minute + (minute % 3));
        Trend noise = heap(minute -> 100 + 10 * (minute % 3));

        assertThat(leak.perHour()).isCloseTo(12, within(1.0));
        assertThat(leak.grows()).isTrue();
        assertThat(noise.perHour()).isCloseTo(0, within(1.0));
        assertThat(noise.grows()).isFalse();
    }

    @Test
    void aFewDisturbedMinutesAreNoGrowth() {
        Trend trend = heap(minute -> minute > 54 ? 400 : 100);

        assertThat(trend.grows()).isFalse();
        assertThat(trend.first()).isEqualTo(100);
        assertThat(trend.last()).isEqualTo(100);
    }

    @Test
    void whatWasNeverMeasuredGrows() {
        assertThat(heap(_ -> Double.NaN).grows()).isTrue();
    }

    private static Trend heap(IntToDoubleFunction mib) {
        List<Minute> minutes =
                IntStream.rangeClosed(1, 60)
                        .mapToObj(i -> minute(i, mib.applyAsDouble(i)))
                        .toList();
        return Trend.of("heap", minutes, minute -> minute.holdings().heapMib(), 8);
    }

    private static Minute minute(int number, double heapMib) {
        return new Minute(
                number, 100, 100, 0, 20, 30, 40, 2, 1, new Holdings(heapMib, 300, 50, 80));
    }
}
