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

    @Test
    void endsAtOnceWithoutCalls() {
        assertThat(draining.await(() -> true, LONG)).isEqualTo(Draining.Outcome.EMPTY);
        assertThat(draining.isOn()).isTrue();
    }

    @Test
    void endsWhenTheLastCallDoes() {
        AtomicInteger looks = new AtomicInteger();
        assertThat(draining.await(() -> looks.incrementAndGet() == 3, LONG))
                .isEqualTo(Draining.Outcome.EMPTY);
    }

    @Test
    void endsAtTheDeadline() {
        assertThat(draining.await(() -> false, Duration.ZERO)).isEqualTo(Draining.Outcome.DEADLINE);
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
                                        draining.await(
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
    void cannotBeRevokedOnceItStops() {
        draining.close();
        draining.set(false);
        assertThat(draining.isOn()).isTrue();
    }
}
