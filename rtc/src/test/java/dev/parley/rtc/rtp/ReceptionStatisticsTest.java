package dev.parley.rtc.rtp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReceptionStatisticsTest {
    private static final int CLOCK_RATE_HZ = 48_000;
    private static final long FRAME_NANOS = 20_000_000;
    private static final int FRAME_TICKS = 960;

    private final ReceptionStatistics statistics = new ReceptionStatistics(CLOCK_RATE_HZ);

    @Test
    void countsNoLossInAWholeStream() {
        receiveFrames(100, 200);
        statistics.endInterval();

        assertThat(statistics.received()).isEqualTo(100);
        assertThat(statistics.cumulativeLost()).isZero();
        assertThat(statistics.fractionLost()).isZero();
        assertThat(statistics.extendedHighestSequence()).isEqualTo(199);
        assertThat(statistics.jitter()).isZero();
    }

    @Test
    void tellsTheLossOfEachIntervalApart() {
        receiveFrames(0, 50);
        receiveFrames(100, 150);
        statistics.endInterval();
        // A third of 150: 85.33 of 256
        assertThat(statistics.fractionLost()).isEqualTo(85);
        assertThat(statistics.cumulativeLost()).isEqualTo(50);

        receiveFrames(150, 200);
        statistics.endInterval();
        assertThat(statistics.fractionLost()).isZero();
        assertThat(statistics.cumulativeLost()).isEqualTo(50);

        receiveFrames(225, 300);
        statistics.endInterval();
        assertThat(statistics.fractionLost()).isEqualTo(64);
        assertThat(statistics.cumulativeLost()).isEqualTo(75);
    }

    @Test
    void tellsNearlyTotalLossInEightBits() {
        receiveFrames(0, 1);
        statistics.endInterval();
        receiveFrames(2_900, 2_901);
        statistics.endInterval();

        assertThat(statistics.fractionLost()).isEqualTo(255);
    }

    @Test
    void tellsNoLossOfAnIntervalWithoutPackets() {
        receiveFrames(0, 10);
        receiveFrames(20, 21);
        statistics.endInterval();
        statistics.endInterval();

        assertThat(statistics.fractionLost()).isZero();
    }

    @Test
    void countsDuplicatesAsNegativeLoss() {
        receiveFrames(0, 10);
        receiveFrames(5, 10);
        statistics.endInterval();

        assertThat(statistics.cumulativeLost()).isEqualTo(-5);
        assertThat(statistics.fractionLost()).isZero();
    }

    @Test
    void countsCyclesWithLossAtTheEdge() {
        receiveFrames(65_500, 65_530);
        receiveFrames(65_540, 65_600);

        assertThat(statistics.extendedHighestSequence()).isEqualTo(65_599);
        assertThat(statistics.cumulativeLost()).isEqualTo(10);
    }

    @Test
    void countsReorderedPacketsOnceAcrossAWrap() {
        receiveFrames(65_530, 65_535);
        receiveFrames(65_536, 65_540);
        receiveFrames(65_535, 65_536);

        assertThat(statistics.extendedHighestSequence()).isEqualTo(65_539);
        assertThat(statistics.cumulativeLost()).isZero();
    }

    @Test
    void ignoresASingleStrayPacketButFollowsARestart() {
        receiveFrames(0, 10);
        assertThat(receive(30_000)).isFalse();
        receiveFrames(10, 20);
        assertThat(statistics.received()).isEqualTo(20);
        assertThat(statistics.cumulativeLost()).isZero();

        assertThat(receive(40_000)).isFalse();
        assertThat(receive(40_001)).isTrue();
        assertThat(statistics.extendedHighestSequence()).isEqualTo(40_001);
        assertThat(statistics.received()).isEqualTo(1);
    }

    // RFC 3550 A.8 by hand: D is 480, 480, 0 ticks; J += (|D| - J) / 16.
    @Test
    void estimatesJitter() {
        statistics.receive(0, 0, 0);
        statistics.receive(1, FRAME_TICKS, FRAME_NANOS + 10_000_000);
        assertThat(statistics.jitter()).isEqualTo(30);
        statistics.receive(2, 2 * FRAME_TICKS, 2 * FRAME_NANOS);
        assertThat(statistics.jitter()).isEqualTo(58);
        statistics.receive(3, 3 * FRAME_TICKS, 3 * FRAME_NANOS);
        assertThat(statistics.jitter()).isEqualTo(54);
        assertThat(statistics.jitterNanos()).isEqualTo(1_125_000);
    }

    @Test
    void takesSilenceBetweenPacketsForNoJitter() {
        statistics.receive(0, 0, 0);
        statistics.receive(1, 500 * FRAME_TICKS, 500 * FRAME_NANOS);

        assertThat(statistics.jitter()).isZero();
        assertThat(statistics.cumulativeLost()).isZero();
    }

    @Test
    void survivesTimestampWrapAndNegativeTime() {
        long longAgo = Long.MIN_VALUE / 2;
        for (int i = 0; i < 10; i++) {
            statistics.receive(i, -5 * FRAME_TICKS + i * FRAME_TICKS, longAgo + i * FRAME_NANOS);
        }
        // Ticks are rounded down: one tick of difference at most.
        assertThat(statistics.jitter()).isLessThanOrEqualTo(1);
    }

    @Test
    void remembersTheLastSenderReport() {
        assertThat(statistics.lastSenderReport()).isZero();
        assertThat(statistics.delaySinceLastSenderReport(5)).isZero();

        statistics.receiveSenderReport(0x1122_3344_5566_7788L, 1_000_000_000);

        assertThat(statistics.lastSenderReport()).isEqualTo(0x3344_5566);
        assertThat(statistics.delaySinceLastSenderReport(2_500_000_000L)).isEqualTo(0x0001_8000);
    }

    private void receiveFrames(int from, int to) {
        for (int i = from; i < to; i++) {
            assertThat(receive(i)).isTrue();
        }
    }

    private boolean receive(int frame) {
        return statistics.receive(frame & 0xFFFF, frame * FRAME_TICKS, frame * FRAME_NANOS);
    }
}
