package dev.parley.runtime.reload;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TickerTest {
    @Test
    void goesOnAfterWhateverFails() throws InterruptedException {
        CountDownLatch times = new CountDownLatch(3);
        try (Ticker ticker =
                Ticker.start(
                        "failing",
                        Duration.ofMillis(1),
                        () -> {
                            times.countDown();
                            if (times.getCount() == 2) {
                                throw new IllegalStateException("the first time");
                            }
                            throw new StackOverflowError("and then");
                        })) {
            assertThat(ticker).isNotNull();
            assertThat(times.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
