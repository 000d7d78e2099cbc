package dev.parley.transceiver.audio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PcmTest {
    @Test
    void writesAndReadsLittleEndian() {
        short[] pcm = {0, 1, -1, 0x1234, Short.MIN_VALUE, Short.MAX_VALUE};
        byte[] bytes = new byte[14];
        assertThat(Pcm.writeS16le(pcm, 0, 6, bytes, 1)).isEqualTo(12);
        assertThat(bytes).startsWith(0, 0, 0, 1, 0, 0xFF, 0xFF, 0x34, 0x12).endsWith(0x7F, 0);
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            short[] again = new short[6];
            Pcm.readS16le(ByteBuffer.wrap(bytes).order(order), 1, again, 0, 6);
            assertThat(again).isEqualTo(pcm);
        }
    }

    @Test
    @DisplayName("RFC 6465 appendix A: silence, full scale, a sine, half of it")
    void measuresLevel() {
        short[] square = new short[960];
        for (int i = 0; i < square.length; i++) {
            square[i] = i % 2 == 0 ? Short.MAX_VALUE : -Short.MAX_VALUE;
        }
        assertThat(level(new short[960])).isEqualTo(-127);
        assertThat(level(square)).isZero();
        assertThat(level(TestSignal.sine(48_000, 1_000, 32_767, 960))).isEqualTo(-3);
        assertThat(level(TestSignal.sine(48_000, 1_000, 16_384, 960))).isEqualTo(-9);
        assertThat(level(TestSignal.sine(48_000, 1_000, 327.67, 960))).isEqualTo(-43);
    }

    @Test
    void levelStaysInItsRange() {
        short[] loudest = new short[960];
        Arrays.fill(loudest, Short.MIN_VALUE);
        assertThat(level(loudest)).isZero();
        short[] one = new short[960];
        one[5] = 1;
        assertThat(level(one)).isBetween(-127, -110);
        assertThat(Pcm.levelDbov(one, 0, 0)).isEqualTo(Pcm.SILENCE_DBOV);
    }

    private static int level(short[] pcm) {
        return Pcm.levelDbov(pcm, 0, pcm.length);
    }
}
