package dev.parley.transceiver.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DrainingTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final Draining draining = new Draining();

    private static void goOn() {}

    @Test
    void endsAtOnceWithoutCalls() {
        assertThat(draining.begin(DrainingTest::goOn).await(() -> true, LONG))
                .isEqualTo(Draining.Outcome.EMPTY);
        assertThat(draining.isOn()).isTrue();
    }

    @Test
    void endsWhenTheLastCallDoes() {
        AtomicInteger looks = new AtomicInteger();
        assertThat(
                        draining.begin(DrainingTest::goOn)
                                .await(() -> looks.incrementAndGet() == 3, LONG))
                .isEqualTo(Draining.Outcome.EMPTY);
    }

    @Test
    void endsAtTheDeadline() {
        assertThat(draining.begin(DrainingTest::goOn).await(() -> false, Duration.ZERO))
                .isEqualTo(Draining.Outcome.DEADLINE);
        assertThat(draining.isOn()).isTrue();
    }

    @Test
    void canBeRevoked() throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        CompletableFuture<Draining.Outcome> outcome = new CompletableFuture<>();
        Thread.ofVirtual()
                .start(
                        () ->
                                outcome.complete(
                                        draining.begin(DrainingTest::goOn)
                                                .await(
                                                        () -> {
                                                            waits.countDown();
                                                            return false;
                                                        },
                                                        LONG)));
        waits.await();
        draining.set(false);
        assertThat(outcome.get()).isEqualTo(Draining.Outcome.REVOKED);
        assertThat(draining.isOn()).isFalse();
    }

    @Test
    void isRevokedThoughTheWaitHasNotBegun() {
        Draining.Wait wait = draining.begin(DrainingTest::goOn);
        draining.set(false);
        assertThat(wait.await(() -> false, LONG)).isEqualTo(Draining.Outcome.REVOKED);
        assertThat(draining.isOn()).isFalse();
    }

    @Test
    void isRevokedThoughAnotherDrainBeginsAtOnce() {
        Draining.Wait wait = draining.begin(DrainingTest::goOn);
        draining.set(false);
        draining.set(true);
        assertThat(wait.await(() -> true, LONG)).isEqualTo(Draining.Outcome.REVOKED);
        assertThat(draining.isOn()).isTrue();
    }

    @Test
    void tellsThatItIsRevokedBeforeThatIsKnown() {
        AtomicInteger told = new AtomicInteger();
        Draining.Wait wait = draining.begin(told::incrementAndGet);
        draining.set(false);
        assertThat(told).hasValue(1);
        draining.set(false);
        assertThat(told).hasValue(1);
        assertThat(wait.await(() -> false, LONG)).isEqualTo(Draining.Outcome.REVOKED);
    }

    @Test
    void cannotBeRevokedOnceItIsOver() {
        AtomicInteger told = new AtomicInteger();
        assertThat(draining.begin(told::incrementAndGet).await(() -> true, LONG))
                .isEqualTo(Draining.Outcome.EMPTY);
        draining.set(false);
        assertThat(draining.isOn()).isTrue();
        assertThat(told).hasValue(0);
    }

    @Test
    void cannotBeRevokedOnceItStops() {
        draining.close();
        draining.set(false);
        assertThat(draining.isOn()).isTrue();
    }
}
