package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InputClockTest {
    private static final long MILLI = 1_000_000L;

    private final InputClock clock = new InputClock();

    private long place(int timestamp, long millis) {
        return InputClock.millis(clock.place(timestamp, 960, millis * MILLI, false));
    }

    @Test
    void startsAtZeroAndFollowsTimestampsAcrossTheirWrap() {
        assertThat(place(-960, 5_000)).isZero();
        assertThat(place(0, 5_020)).isEqualTo(20);
        assertThat(place(960, 5_041)).isEqualTo(40);
    }

    @Test
    void keepsWallClockThroughDtx() {
        place(0, 0);
        assertThat(place(48 * 4_000, 4_003)).isEqualTo(4_000);
    }

    @Test
    void ignoresTheArrivalTimeOfAnOrdinaryPacket() {
        place(0, 0);
        assertThat(place(960, 900)).isEqualTo(20);
        assertThat(place(1_920, 901)).isEqualTo(40);
    }

    @Test
    void doesNotFollowATimestampThatLeapsAhead() {
        place(0, 0);
        assertThat(place(48_000 * 3_600, 40)).isEqualTo(40);
        assertThat(place(48_000 * 3_600 + 960, 60)).isEqualTo(60);
    }

    @Test
    void neverStepsBack() {
        place(0, 0);
        place(960, 20);
        assertThat(place(0, 25)).isEqualTo(40);
        assertThat(place(960, 45)).isGreaterThanOrEqualTo(60);
    }

    @Test
    void goesOnByTheClockWhenTheSourceChanges() {
        place(0, 0);
        place(960, 20);
        long offset = clock.place(777_777, 960, 1_000 * MILLI, true);
        assertThat(InputClock.millis(offset)).isEqualTo(1_000);
        assertThat(place(777_777 + 960, 1_020)).isEqualTo(1_020);
    }

    @Test
    void doesNotLetOverlapAccumulate() {
        place(0, 0);
        // 10 ms too early each time, as a sender with a wrong duration would have it.
        for (int i = 1; i <= 100; i++) {
            place(i * 480, i * 10L);
        }
        assertThat(place(48_000 * 4, 4_000)).isEqualTo(4_000);
    }
}
