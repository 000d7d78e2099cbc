package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowNoticesTest {
    private final FlowNotices notices = new FlowNotices();
    private final List<String> read = new ArrayList<>();

    private void read() {
        notices.drainTo(
                (verdict, high, low, at) -> read.add(verdict + " " + high + " " + low + " " + at));
    }

    @Test
    void handsNoticesOverInOrderAndOnce() {
        notices.leave(Verdict.UP_NEW_FLOW, 1, 2, 3);
        notices.leave(Verdict.UP_MOVED_FLOW, 4, 5, 6);
        read();
        read();

        assertThat(read).containsExactly("UP_NEW_FLOW 1 2 3", "UP_MOVED_FLOW 4 5 6");
    }

    @Test
    void losesAndCountsWhatDoesNotFit() {
        for (int i = 0; i < 600; i++) {
            notices.leave(Verdict.UP_NEW_FLOW, i, 0, 0);
        }
        read();
        notices.leave(Verdict.UP_NEW_FLOW, 700, 0, 0);
        read();

        assertThat(read).hasSize(513).endsWith("UP_NEW_FLOW 700 0 0");
        assertThat(notices.lost()).isEqualTo(88);
    }
}
