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
        Trend leak = resident(minute -> 100 + 0.2 * minute + (minute % 3));
        Trend noise = resident(minute -> 100 + 10 * (minute % 3));

        assertThat(leak.perHour()).isCloseTo(12, within(1.0));
        assertThat(leak.grows()).isTrue();
        assertThat(noise.perHour()).isCloseTo(0, within(1.0));
        assertThat(noise.grows()).isFalse();
    }

    @Test
    void aFewDisturbedMinutesAreNoGrowth() {
        Trend trend = resident(minute -> minute > 54 ? 400 : 100);

        assertThat(trend.grows()).isFalse();
        assertThat(trend.first()).isEqualTo(100);
        assertThat(trend.last()).isEqualTo(100);
    }

    @Test
    void whatWasNeverMeasuredGrows() {
        assertThat(resident(_ -> Double.NaN).grows()).isTrue();
    }

    private static Trend resident(IntToDoubleFunction mib) {
        List<Minute> minutes =
                IntStream.rangeClosed(1, 60)
                        .mapToObj(i -> minute(i, mib.applyAsDouble(i)))
                        .toList();
        return Trend.of("resident", minutes, minute -> minute.holdings().residentMib(), 8);
    }

    private static Minute minute(int number, double residentMib) {
        return new Minute(number, 100, 100, 0, 20, 30, 40, 2, 1, new Holdings(residentMib, 50, 80));
    }
}
