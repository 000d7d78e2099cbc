package dev.parley.transceiver.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.transceiver.session.SessionId;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class WatchersTest {
    private static final SessionId CALL = SessionId.of(new byte[SessionId.BYTES]);

    private final Watchers watchers = new Watchers();

    @Test
    void waitsUntilWhoLooksHasBeenTold() throws InterruptedException {
        // Far in the future, or the time would end the wait on a slow machine.
        watchers.looked(CALL, System.nanoTime() + 3_600_000_000_000L);
        CountDownLatch over = new CountDownLatch(1);
        Thread waiting =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    watchers.awaitTold();
                                    over.countDown();
                                });
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(over.getCount()).isEqualTo(1);
        watchers.told(CALL);
        over.await();
    }

    @Test
    void waitsForNobodyWhoLookedLongAgoOrNever() {
        watchers.awaitTold();
        watchers.looked(CALL, System.nanoTime() - Watchers.PERIOD.toNanos());
        watchers.awaitTold();
    }
}
