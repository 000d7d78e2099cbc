package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimersTest {
    @Test
    void answersEntriesInOrderWhateverIsMovedAndCancelled() {
        // Close to the end of the number range, where deadlines wrap.
        long base = Long.MAX_VALUE - 5_000;
        Random random = new Random(4);
        Timers<Integer> timers = new Timers<>();
        List<Timers.Entry<Integer>> live = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            int kind = random.nextInt(4);
            if (kind == 0 || live.isEmpty()) {
                Timers.Entry<Integer> entry = new Timers.Entry<>(step);
                timers.schedule(entry, base + random.nextInt(10_000));
                live.add(entry);
            } else if (kind == 1) {
                timers.cancel(live.remove(random.nextInt(live.size())));
            } else {
                timers.schedule(
                        live.get(random.nextInt(live.size())), base + random.nextInt(10_000));
            }
            Timers.Entry<Integer> earliest =
                    live.stream()
                            .min(Comparator.comparingLong(e -> e.deadlineNanos() - base))
                            .orElse(null);
            if (earliest != null) {
                long due = earliest.deadlineNanos();
                assertThat(timers.due(due - 1)).isNull();
                Timers.Entry<Integer> first = timers.due(due);
                assertThat(first != null && first.deadlineNanos() == due).isTrue();
                assertThat(timers.untilNext(due - 7, 5)).isEqualTo(5);
                assertThat(timers.untilNext(due - 7, 100)).isEqualTo(7);
                assertThat(timers.untilNext(due + 7, 100)).isZero();
            }
        }
    }

    @Test
    void waitsAsLongAsItMayWithoutEntries() {
        Timers<String> timers = new Timers<>();
        assertThat(timers.due(0)).isNull();
        assertThat(timers.untilNext(0, 1_000)).isEqualTo(1_000);
    }
}
