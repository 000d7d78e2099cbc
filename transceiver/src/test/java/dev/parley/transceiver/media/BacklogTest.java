package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BacklogTest {
    private static final long SECOND = InputClock.RATE_HZ;

    private final OutputMemory memory = new OutputMemory(10_000, 700);

    @Test
    void readsUpToTheHighWaterMarkAndOnBelowIt() {
        Backlog backlog = new Backlog(SECOND, memory);
        assertThat(backlog.add(SECOND - 1, 10)).isTrue();
        assertThat(backlog.add(1, 10)).isFalse();
        assertThat(backlog.remove(1, 10)).isTrue();
        assertThat(backlog.remove(1, 0)).isFalse();
    }

    @Test
    void readsNoFurtherThanItsShareOfTheMemory() {
        Backlog backlog = new Backlog(600 * SECOND, memory);
        assertThat(backlog.add(100 * SECOND, 699)).isTrue();
        assertThat(backlog.add(1, 1)).isFalse();
        assertThat(backlog.remove(1, 1)).isTrue();
    }

    @Test
    void readsOnHoweverManyOthersHoldAllTheyMay() {
        for (int i = 0; i < 12; i++) {
            Backlog other = new Backlog(600 * SECOND, memory);
            other.addAnyway(40 * SECOND, 0);
            while (other.add(1, 10)) {}
        }
        assertThat(memory.bytes()).isGreaterThan(7_000);
        assertThat(new Backlog(600 * SECOND, memory).add(40 * SECOND, 100)).isTrue();
    }

    @Test
    void readsItsSureShareWhateverOthersHold() {
        Backlog other = new Backlog(600 * SECOND, memory);
        Backlog another = new Backlog(600 * SECOND, memory);
        assertThat(other.add(SECOND, 6_000)).isTrue();
        assertThat(another.add(SECOND, 6_000)).isTrue();
        Backlog backlog = new Backlog(600 * SECOND, memory);
        assertThat(backlog.add(Backlog.SURE_SAMPLES - 1, 50)).isTrue();
        assertThat(backlog.add(1, 1)).isFalse();
        assertThat(backlog.goesOn()).isFalse();
        other.close();
        assertThat(backlog.goesOn()).isTrue();
        assertThat(backlog.goesOn()).isFalse();
    }

    @Test
    void readsNoFurtherThanTheMemoryOfItsSureShare() {
        Backlog other = new Backlog(600 * SECOND, memory);
        assertThat(other.add(SECOND, 10_000)).isTrue();
        Backlog backlog = new Backlog(600 * SECOND, memory);
        assertThat(backlog.add(SECOND, Backlog.SURE_BYTES - 1)).isTrue();
        assertThat(backlog.add(1, 1)).isFalse();
        assertThat(backlog.remove(1, 1)).isTrue();
    }

    @Test
    void countsThatItWasReadAnyway() {
        Backlog backlog = new Backlog(600 * SECOND, memory);
        backlog.addAnyway(1, 300);
        assertThat(memory.bytes()).isEqualTo(300);
        assertThat(backlog.samples()).isEqualTo(1);
    }

    @Test
    void givesBackWhatASessionHeldWhenItEnds() {
        Backlog backlog = new Backlog(SECOND, memory);
        assertThat(backlog.add(10, 300)).isTrue();
        assertThat(backlog.remove(5, 100)).isFalse();
        assertThat(memory.bytes()).isEqualTo(200);
        backlog.close();
        backlog.close();
        assertThat(memory.bytes()).isZero();
        var _ = backlog.remove(5, 200);
        var _ = backlog.add(5, 200);
        assertThat(memory.bytes()).isZero();
    }
}
