package dev.parley.signaling.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ListenerWatchTest {
    private boolean listens = true;
    private boolean opens = true;
    private int opened;
    private int givenUp;
    private final ListenerWatch watch =
            new ListenerWatch(() -> listens, this::open, () -> givenUp++);

    private boolean open() {
        opened++;
        listens = opens;
        return opens;
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            watch.look();
        }
    }

    @Test
    void leavesAListenerThatListensAlone() {
        look(100);

        assertThat(opened).isZero();
    }

    @Test
    void opensOneThatHasFailedAgain() {
        listens = false;
        look(100);

        assertThat(opened).isOne();
        assertThat(givenUp).isZero();
    }

    @Test
    void endsTheProcessThatCannotOpenOne() {
        listens = false;
        opens = false;
        look(ListenerWatch.PATIENCE);
        assertThat(givenUp).isZero();
        look(1);

        assertThat(givenUp).isOne();
    }

    @Test
    void forgetsEarlierFailuresOnceItListens() {
        listens = false;
        opens = false;
        look(ListenerWatch.PATIENCE);
        listens = true;
        look(1);
        listens = false;
        look(ListenerWatch.PATIENCE);

        assertThat(givenUp).isZero();
    }
}
