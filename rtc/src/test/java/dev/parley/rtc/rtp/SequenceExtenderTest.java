package dev.parley.rtc.rtp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceExtenderTest {
    private final SequenceExtender extender = new SequenceExtender();

    @Test
    void countsOnAcrossAWrap() {
        assertThat(extender.extend(65534)).isEqualTo(65534);
        assertThat(extender.extend(1)).isEqualTo(65537);
        assertThat(extender.extend(65535)).isEqualTo(65535);
        assertThat(extender.extend(2)).isEqualTo(65538);
    }

    @Test
    void placesPacketsSentBeforeTheFirstOneBelowIt() {
        assertThat(extender.extend(1)).isEqualTo(1);
        assertThat(extender.extend(65535)).isEqualTo(-1);
    }

    @Test
    void measuresFromTheHighestNotFromTheLast() {
        assertThat(extender.extend(30_000)).isEqualTo(30_000);
        assertThat(extender.extend(0)).isZero();
        assertThat(extender.extend(40_000)).isEqualTo(40_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void followsLossAndReorderingForManyCycles(long seed) {
        Random random = new Random(seed);
        long sent = random.nextInt(65536);
        extender.extend((int) sent);
        for (int i = 0; i < 200_000; i++) {
            sent += random.nextInt(100) == 0 ? random.nextInt(20_000) : 1;
            long received = Math.max(sent - random.nextInt(500), 0);
            assertThat(extender.extend((int) (sent & 0xFFFF))).isEqualTo(sent);
            assertThat(extender.extend((int) (received & 0xFFFF))).isEqualTo(received);
        }
    }
}
