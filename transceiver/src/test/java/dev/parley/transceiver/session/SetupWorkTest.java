package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SetupWorkTest {
    private static final long MILLI = 1_000_000L;

    private long now = 1;
    private final SetupWork work = new SetupWork(1, 100 * MILLI, 8 * MILLI, () -> now);

    private int admitted(SetupWork by, int calls) {
        int admitted = 0;
        for (int i = 0; i < calls; i++) {
            admitted += by.admit() ? 1 : 0;
        }
        return admitted;
    }

    private void callThatTakes(long millis) {
        SetupWork.Share share = work.share();
        try (SetupWork.Turn turn = share.takeTurn()) {
            now += millis * MILLI;
            turn.pause();
            now += 1_000 * MILLI;
        }
        share.done();
    }

    /** Calls that come without end, twice as many as can be done. */
    private int admittedInSteps(int steps) {
        int admitted = 0;
        for (int i = 0; i < steps; i++) {
            now += 10 * MILLI;
            admitted += admitted(work, 2);
        }
        return admitted;
    }

    private double queueMillis() {
        return work.pressure() * 100;
    }

    @Test
    void letsABurstInThatIsSoonDone() {
        assertThat(admitted(work, 100)).isEqualTo(41);
        assertThat(work.refused()).isEqualTo(59);
        now += 410 * MILLI;
        assertThat(admitted(work, 100)).isEqualTo(41);
    }

    @Test
    void letsInAsManyAsTheProcessorsWorkOffWhenThereIsNoEnd() {
        admittedInSteps(200);
        assertThat(admittedInSteps(100)).isBetween(99, 101);
        assertThat(queueMillis()).isBetween(80.0, 111.0);
    }

    @Test
    void forgetsAnEndlessRushOnceNothingIsLeft() {
        admittedInSteps(200);
        assertThat(admitted(work, 100)).isLessThan(3);
        now += 2_000 * MILLI;
        assertThat(admitted(work, 100)).isEqualTo(41);
    }

    @Test
    void moreProcessorsTakeMore() {
        SetupWork four = new SetupWork(4, 100 * MILLI, 8 * MILLI, () -> now);
        assertThat(admitted(four, 1_000)).isEqualTo(161);
        now += 10 * MILLI;
        assertThat(admitted(four, 100)).isEqualTo(4);
    }

    @Test
    void aCallThatFindsNothingAheadIsTakenWhateverItCosts() {
        SetupWork slow = new SetupWork(1, 100 * MILLI, 5_000 * MILLI, () -> now);
        assertThat(admitted(slow, 5)).isEqualTo(1);
        now += 6_250 * MILLI;
        assertThat(admitted(slow, 5)).isEqualTo(1);
    }

    @Test
    void learnsWhatACallCosts() {
        for (int i = 0; i < 100; i++) {
            callThatTakes(50);
        }
        assertThat(work.callNanos()).isBetween(49 * MILLI, 50 * MILLI);
        assertThat(admitted(work, 50)).isEqualTo(7);
    }

    @Test
    void waitingForClientsAndModelsCostsNothing() {
        for (int i = 0; i < 100; i++) {
            callThatTakes(2);
        }
        assertThat(admitted(work, 200)).isGreaterThan(150);
    }

    @Test
    void refusesWhileThoseBeforeWaitForTheProcessor() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            callThatTakes(400);
        }
        now += 10_000 * MILLI;
        List<Thread> waiting = new ArrayList<>();
        try (var _ = work.share().takeTurn()) {
            for (int i = 0; i < 3; i++) {
                Thread thread =
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            try (var _ = work.share().takeTurn()) {
                                                // Only the wait matters.
                                            }
                                        });
                while (thread.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
                waiting.add(thread);
            }
            assertThat(work.admit()).isFalse();
            assertThat(work.pressure()).isGreaterThan(1);
        }
        for (Thread thread : waiting) {
            thread.join();
        }
        assertThat(work.admit()).isTrue();
    }

    @Test
    void soManyComputeAtATime() throws InterruptedException {
        SetupWork two = new SetupWork(2, 0, 0, () -> 0);
        AtomicInteger computing = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try (SetupWork.Turn turn = two.share().takeTurn()) {
                                    most.accumulateAndGet(computing.incrementAndGet(), Math::max);
                                    computing.decrementAndGet();
                                    turn.pause();
                                    turn.resume();
                                    most.accumulateAndGet(computing.incrementAndGet(), Math::max);
                                    computing.decrementAndGet();
                                }
                                done.countDown();
                            });
        }
        done.await();
        assertThat(most.get()).isLessThanOrEqualTo(2);
        assertThat(two.admit()).isTrue();
    }

    @Test
    void aCallIsCountedOnce() {
        SetupWork.Share share = work.share();
        share.done();
        long cost = work.callNanos();
        share.done();
        assertThat(work.callNanos()).isEqualTo(cost).isLessThan(8 * MILLI);
    }

    @Test
    void aCallThatComesToNothingIsNoMeasure() {
        long before = work.callNanos();
        for (int i = 0; i < 100; i++) {
            try (var _ = work.share().takeTurn()) {
                now += MILLI;
            }
        }
        assertThat(work.callNanos()).isEqualTo(before);
    }

    @Test
    void refusesNobodyWithoutALimit() {
        assertThat(admitted(SetupWork.unbounded(), 10_000)).isEqualTo(10_000);
        assertThat(SetupWork.unbounded().pressure()).isZero();
    }

    @Test
    void leavesHalfOfTheProcessorsToOthers() {
        assertThat(SetupWork.workersOf(1)).isEqualTo(1);
        assertThat(SetupWork.workersOf(2)).isEqualTo(1);
        assertThat(SetupWork.workersOf(8)).isEqualTo(4);
    }
}
