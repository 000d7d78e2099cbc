package dev.parley.relay.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The store within the process, and the line to it. */
class FlowStoreTest {
    private static final FlowKey KEY = key(1);
    private static final StoredRoute ROUTE = new StoredRoute(0, 2, 3, 4, 5, 6);
    private static final StoredRoute OTHER = new StoredRoute(0, 2, 3, 4, 5, 7);
    private static final Duration LIFE = Duration.ofSeconds(10);

    private final StoreCounters counters = new StoreCounters();
    private long now;
    private final MemoryBackend memory = new MemoryBackend(LIFE, () -> now, counters);

    private static FlowKey key(int port) {
        return new FlowKey(0, 1, port, 0, 2, 3478);
    }

    private StoreAnswer read(FlowKey key) {
        List<StoreAnswer> answers = new ArrayList<>();
        memory.read(key, answers::add);
        return answers.getFirst();
    }

    @Test
    void keepsAnEntryForItsTime() {
        memory.write(KEY, ROUTE);
        assertThat(read(KEY)).isEqualTo(ROUTE);
        assertThat(read(key(2))).isEqualTo(StoreAnswer.Miss.ABSENT);
        now += LIFE.toNanos();
        assertThat(read(KEY)).isEqualTo(StoreAnswer.Miss.ABSENT);
    }

    @Test
    void keepsNoEntryLongerThanTheNextOneIsWritten() {
        memory.write(KEY, ROUTE);
        memory.write(key(2), ROUTE);
        now += LIFE.toNanos() - 1;
        memory.write(key(3), ROUTE);
        assertThat(memory.size()).isEqualTo(3);
        now += 1;
        memory.write(key(4), ROUTE);
        assertThat(memory.size()).isEqualTo(2);
        assertThat(read(key(3))).isEqualTo(ROUTE);
    }

    @Test
    void refreshesItsOwnAndMissingEntriesOnly() {
        memory.refresh(KEY, ROUTE);
        now += LIFE.toNanos() - 1;
        memory.refresh(KEY, ROUTE);
        now += LIFE.toNanos() - 1;
        assertThat(read(KEY)).isEqualTo(ROUTE);
        memory.write(KEY, OTHER);
        memory.refresh(KEY, ROUTE);
        memory.remove(KEY, ROUTE);
        assertThat(read(KEY)).isEqualTo(OTHER);
        memory.remove(KEY, OTHER);
        assertThat(read(KEY)).isEqualTo(StoreAnswer.Miss.ABSENT);
    }

    @Test
    void carriesRequestsAndAnswersOverTheLine() throws InterruptedException {
        Semaphore wakeups = new Semaphore(0);
        try (FlowStore store = FlowStore.inMemory(new StoreSettings(LIFE))) {
            StoreLane lane = store.open(wakeups::release);
            assertThat(lane.isAvailable()).isTrue();
            begin(lane, StoreLane.Kind.WRITE, 0, 1);
            begin(lane, StoreLane.Kind.READ, 7, 1);
            begin(lane, StoreLane.Kind.READ, 8, 2);
            assertThat(wakeups.tryAcquire(2, 10, TimeUnit.SECONDS)).isTrue();
            assertThat(lane.hasAnswers()).isTrue();
            assertThat(lane.pollAnswer(7)).isEqualTo(ROUTE);
            assertThat(lane.pollAnswer(7)).isNull();
            assertThat(lane.pollAnswer(8)).isEqualTo(StoreAnswer.Miss.ABSENT);
            assertThat(lane.hasAnswers()).isFalse();
        }
    }

    @Test
    void refusesRequestsBeyondItsRoom() {
        StoreLane lane = new StoreLane(() -> {}, () -> {});
        assertThat(lane.begin(StoreLane.Kind.WRITE, 0)).as("while it is not available").isFalse();
        lane.available(true);
        int taken = 0;
        while (lane.begin(StoreLane.Kind.WRITE, 0)) {
            lane.commit();
            taken++;
        }
        assertThat(taken).isEqualTo(2_048);
        assertThat(lane.drainTo(memory, 100)).isEqualTo(100);
        assertThat(lane.begin(StoreLane.Kind.WRITE, 0)).isTrue();
    }

    @Test
    void aClosedLineTakesNothing() {
        StoreLane lane = StoreLane.closed();
        assertThat(lane.isAvailable()).isFalse();
        assertThat(lane.begin(StoreLane.Kind.READ, 0)).isFalse();
    }

    @Test
    void rehearsesReadsBeforeTheyAreInAHurry() {
        try (FlowStore store = new StorePump(memory, counters)) {
            store.prepare(Duration.ofSeconds(10));
            assertThat(counters.count(StoreCounters.Event.READ_ABSENT)).isPositive();
        }
    }

    @Test
    void aStoreThatDoesNotAnswerDelaysNobodyForLong() {
        try (FlowStore store = new StorePump(new FakeStore(), counters)) {
            store.prepare(Duration.ofMillis(1));
            assertThat(store.findProblem()).isNull();
        }
    }

    private static void begin(StoreLane lane, StoreLane.Kind kind, int place, int port) {
        assertThat(lane.begin(kind, place)).isTrue();
        lane.client(0, 1, port)
                .publicAddress(0, 2, 3478)
                .transceiver(0, 2, 3, 4)
                .session(5, 6)
                .commit();
    }
}
