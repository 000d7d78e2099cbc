package dev.parley.rtc.rtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RtcpIntervalRfc3550Test {
    private static final double SECOND = 1e9;

    private final RandomGenerator random = new SplittableRandom(1);

    @Test
    @DisplayName(
            "RFC 3550 6.3.1: 2 members, 128 bytes, 5 % of 51,200 bit/s: 0.8 s, spread and set off")
    void takesTheShareOfTheSession() {
        RtcpInterval interval = new RtcpInterval(51_200, true, 100);
        double sum = 0;
        for (int i = 0; i < 10_000; i++) {
            long nanos = interval.nextNanos(random);
            assertThat(nanos / SECOND).isBetween(0.8 * 0.5 / 1.21828, 0.8 * 1.5 / 1.21828);
            sum += nanos / SECOND;
        }
        assertThat(sum / 10_000).isCloseTo(0.8 / 1.21828, within(0.01));
    }

    @Test
    @DisplayName(
            "RFC 3550 6.2: not less than 5 s without the feedback profile, half of it at first")
    void keepsTheMinimum() {
        RtcpInterval interval = new RtcpInterval(51_200, false, 100);
        for (int i = 0; i < 1_000; i++) {
            assertThat(interval.firstNanos(random) / SECOND).isBetween(1.0, 3.1);
            assertThat(interval.nextNanos(random) / SECOND).isBetween(2.0, 6.2);
        }
    }

    @Test
    @DisplayName("RFC 3550 6.3.3: avg_rtcp_size = packet_size/16 + avg_rtcp_size * 15/16")
    void waitsLongerAfterLongerPackets() {
        RtcpInterval interval = new RtcpInterval(51_200, true, 100);
        double before = average(interval);
        for (int i = 0; i < 200; i++) {
            interval.seen(228);
        }
        assertThat(average(interval) / before).isCloseTo(2.0, within(0.05));
    }

    private double average(RtcpInterval interval) {
        double sum = 0;
        for (int i = 0; i < 10_000; i++) {
            sum += interval.nextNanos(random);
        }
        return sum / 10_000;
    }
}
