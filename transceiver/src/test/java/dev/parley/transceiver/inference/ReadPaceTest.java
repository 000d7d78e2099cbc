package dev.parley.transceiver.inference;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadPaceTest {
    private static final long SECOND = 1_000_000_000L;

    private long now = Long.MAX_VALUE - SECOND;
    private final ReadPace pace = new ReadPace(() -> now);

    @Test
    void readsThousandsOfEventsAtOnce() {
        for (int i = 0; i < 3_000; i++) {
            pace.read(200);
        }
        assertThat(pace.waitNanos()).isZero();
    }

    @Test
    void readsEventsWithoutEndAThousandASecond() {
        assertThat(messagesIn(60, () -> pace.read(0))).isBetween(60 * 1_000, 70 * 1_000);
    }

    @Test
    void readsAudioOfWhatWasClearedNotWithoutEndEither() {
        assertThat(messagesIn(60, () -> pace.cleared(0))).isBetween(60 * 4_000, 70 * 4_100);
    }

    @Test
    void readsWhatIsDroppedMoreSlowly() {
        assertThat(messagesIn(60, () -> pace.wasted(0))).isBetween(60 * 120, 70 * 130);
    }

    @Test
    void readsMessagesThatAreTooLongOnceInAWhile() {
        assertThat(messagesIn(60, () -> pace.wasted(3 << 20))).isBetween(8, 14);
    }

    @Test
    void hasAllOfItsBudgetAgainAfterAPause() {
        pace.wasted(4 << 20);
        assertThat(pace.waitNanos()).isPositive();
        now += Long.MAX_VALUE / 4;
        assertThat(pace.waitNanos()).isZero();
        assertThat(messagesIn(1, () -> pace.read(0))).isBetween(4_096, 6_000);
    }

    /** As many as a backend that says one after another gets rid of. */
    private int messagesIn(int seconds, Runnable message) {
        long end = now + seconds * SECOND;
        int count = 0;
        while (now - end < 0) {
            long wait = pace.waitNanos();
            if (wait > 0) {
                now += wait;
            } else {
                message.run();
                now += 1_000;
                count++;
            }
        }
        return count;
    }
}
