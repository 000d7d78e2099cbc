package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** A sender whose clock is off by some parts per million; answers the last offset's error. */
    private double errorMillisAfter(long minutes, double ppm, int jitterMillis) {
        Random random = new Random(7);
        double error = 0;
        for (long i = 0; i < minutes * 3_000; i++) {
            double sentMillis = i * 20 / (1 + ppm / 1e6);
            double arrival = sentMillis + random.nextDouble(jitterMillis + 1);
            long offset = clock.place((int) (i * 960), 960, (long) (arrival * MILLI), false);
            error = offset / 48.0 - sentMillis;
        }
        return error;
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "100, 0", "-100, 0", "100, 30", "-300, 30", "500, 10"})
    void doesNotLetAClientsDriftAddUp(double ppm, int jitterMillis) {
        // Uncorrected, 100 ppm would be 360 ms in an hour.
        assertThat(errorMillisAfter(60, ppm, jitterMillis)).isBetween(-8.0, 8.0);
        assertThat(clock.driftPpm()).isBetween(ppm - 3, ppm + 3);
    }

    @Test
    void keepsAudioTogetherWhileItCorrects() {
        long end = 0;
        for (long i = 0; i < 10 * 3_000; i++) {
            long arrival = (long) (i * 20 * MILLI * (1 - 200e-6));
            long offset = clock.place((int) (i * 960), 960, arrival, false);
            assertThat(offset - end).isBetween(-6L, 6L);
            end = offset + 960;
        }
    }

    @Test
    void keepsItsTimeWhenThePathGetsLonger() {
        for (int i = 0; i < 3_000; i++) {
            place(i * 960, i * 20L + (i > 1_000 ? 40 : 0));
        }
        // 40 ms of delay become 40 ms of offset, and no more.
        assertThat(place(3_000 * 960, 60_040)).isBetween(60_000L, 60_041L);
    }

    @Test
    void stepsAheadWhenASenderPausedItsTimestamps() {
        int timestamp = 0;
        for (int i = 0; i < 1_000; i++, timestamp += 960) {
            place(timestamp, i * 20L);
        }
        // Half a minute without a packet, then on with the very next timestamp.
        long last = 0;
        for (int i = 0; i < 500; i++, timestamp += 960) {
            last = place(timestamp, 50_000 + i * 20L);
        }
        assertThat(last).isBetween(59_970L, 59_990L);
    }

    @Test
    void takesABurstAfterAStallForLateNotForPaused() {
        for (int i = 0; i < 1_000; i++) {
            place(i * 960, i * 20L);
        }
        for (int i = 1_000; i < 1_200; i++) {
            assertThat(place(i * 960, 24_000)).isEqualTo(i * 20L);
        }
        for (int i = 1_200; i < 2_000; i++) {
            assertThat(place(i * 960, i * 20L)).isEqualTo(i * 20L);
        }
    }

    @Test
    void followsTheSlowerTimestampsOfG711() {
        InputClock g711 = new InputClock(8_000);
        g711.place(-160, 960, 0, false);
        assertThat(g711.place(0, 960, 20 * MILLI, false)).isEqualTo(960);
        assertThat(g711.place(1_600, 960, 220 * MILLI, false)).isEqualTo(10_560);
    }
}
