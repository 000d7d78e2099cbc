package dev.parley.rtc.rtp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedReaderRfc2198Test {
    private final RedReader red = new RedReader();

    private boolean wrap(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        ByteBuffer buffer = ByteBuffer.allocate(bytes.length + 7);
        buffer.put(3, bytes);
        return red.wrap(buffer, 3, bytes.length);
    }

    @Test
    @DisplayName("RFC 2198 3: one copy of the packet before, then the packet's own payload")
    void readsACopyAndTheOwn() {
        // F=1, PT 111, offset 960, length 2; F=0, PT 111
        assertThat(wrap("EF 0F00 02 6F AABB 010203")).isTrue();
        assertThat(red.count()).isEqualTo(2);
        assertThat(red.payloadType(0)).isEqualTo(111);
        assertThat(red.timestampOffset(0)).isEqualTo(960);
        assertThat(red.offset(0)).isEqualTo(3 + 5);
        assertThat(red.length(0)).isEqualTo(2);
        assertThat(red.payloadType(1)).isEqualTo(111);
        assertThat(red.timestampOffset(1)).isZero();
        assertThat(red.offset(1)).isEqualTo(3 + 7);
        assertThat(red.length(1)).isEqualTo(3);
    }

    @Test
    void readsAPayloadWithoutCopies() {
        assertThat(wrap("6F 0102")).isTrue();
        assertThat(red.count()).isOne();
        assertThat(red.length(0)).isEqualTo(2);
    }

    @Test
    void readsTheLargestOffsetAndLength() {
        assertThat(wrap("80 FFFF FF 00" + "55".repeat(1_023))).isTrue();
        assertThat(red.timestampOffset(0)).isEqualTo(16_383);
        assertThat(red.length(0)).isEqualTo(1_023);
        assertThat(red.length(1)).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "EF",
                "EF0F00",
                // No last header.
                "EF0F0002",
                // A copy longer than what follows.
                "EF0F0003 6F AABB",
            })
    void refusesWhatIsNotWhole(String hex) {
        assertThat(wrap("6F 0102")).isTrue();
        assertThat(wrap(hex)).isFalse();
        assertThat(red.count()).isZero();
    }

    @Test
    void refusesMoreCopiesThanAnySenderMakes() {
        assertThat(wrap("EF000000".repeat(7) + "6F")).isTrue();
        assertThat(wrap("EF000000".repeat(8) + "6F")).isFalse();
    }

    @Test
    void neverLeavesThePayloadWhateverItHolds() {
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = new byte[random.nextInt(60)];
            random.nextBytes(bytes);
            // Lengths of random bytes hardly ever fit: make small ones common.
            for (int i = 1; i + 2 < bytes.length && i < 24; i += 4) {
                bytes[i + 1] &= (byte) 0xFC;
                bytes[i + 2] &= 0x0F;
            }
            if (red.wrap(ByteBuffer.wrap(bytes), 0, bytes.length)) {
                int sum = 0;
                for (int i = 0; i < red.count(); i++) {
                    assertThat(red.length(i)).as("seed %d", seed).isNotNegative();
                    assertThat(red.offset(i) + red.length(i)).isLessThanOrEqualTo(bytes.length);
                    sum += red.length(i);
                }
                assertThat(sum + (red.count() - 1) * 4 + 1).isEqualTo(bytes.length);
            }
        }
    }
}
