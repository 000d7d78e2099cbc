package dev.parley.transceiver.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class G711Test {
    @Test
    @DisplayName("G.711 table 2: mu-law's ends, middle and segment edges")
    void readsMulaw() {
        int[][] codes = {
            {0x00, -32_124}, {0x0F, -16_764}, {0x10, -15_996}, {0x7E, -8}, {0x7F, 0},
            {0x80, 32_124}, {0x8F, 16_764}, {0x90, 15_996}, {0xFE, 8}, {0xFF, 0},
        };
        for (int[] code : codes) {
            assertThat(G711.MULAW.decode((byte) code[0])).isEqualTo((short) code[1]);
        }
    }

    @Test
    @DisplayName("G.711 table 1: A-law's ends, middle and segment edges")
    void readsAlaw() {
        int[][] codes = {
            {0x2A, -32_256}, {0x25, -16_896}, {0x3A, -16_128}, {0x55, -8}, {0x54, -24},
            {0xAA, 32_256}, {0xA5, 16_896}, {0xBA, 16_128}, {0xD5, 8}, {0xD4, 24},
        };
        for (int[] code : codes) {
            assertThat(G711.ALAW.decode((byte) code[0])).isEqualTo((short) code[1]);
        }
    }

    @Test
    @DisplayName("G.711 table 5 and 6: the digital milliwatt, 1 kHz at 0 dBm0")
    void readsTheDigitalMilliwatt() {
        assertMilliwatt(G711.MULAW, "1e0b0b1e9e8b8b9e", 3.17);
        assertMilliwatt(G711.ALAW, "34212134b4a1a1b4", 3.14);
    }

    private static void assertMilliwatt(G711 law, String hex, double headroomDb) {
        double power = 0;
        byte[] bytes = HexFormat.of().parseHex(hex);
        short[] pcm = new short[8];
        for (int i = 0; i < 8; i++) {
            pcm[i] = law.decode(bytes[i]);
            power += pcm[i] * pcm[i] / 8.0;
            // Each half wave mirrors the other, and each quarter its neighbour.
            assertThat(law.encode(pcm[i])).isEqualTo(bytes[i]);
        }
        assertThat(pcm[0]).isEqualTo((short) -pcm[4]).isEqualTo(pcm[3]);
        assertThat(pcm[1]).isEqualTo((short) -pcm[5]).isEqualTo(pcm[2]);
        // 0 dBm0 lies that far below a full-scale sine of the law.
        double fullScale = 32_636.0 * 32_636.0 / 2;
        assertThat(10 * Math.log10(fullScale / power)).isCloseTo(headroomDb, within(0.15));
    }

    @Test
    void everyCodeSurvivesTheRoundTrip() {
        for (int code = 0; code < 256; code++) {
            byte again = G711.ALAW.encode(G711.ALAW.decode((byte) code));
            assertThat(again).as("A-law %02x", code).isEqualTo((byte) code);
            // mu-law has a zero of either sign; we write the positive one.
            int expected = code == 0x7F ? 0xFF : code;
            again = G711.MULAW.encode(G711.MULAW.decode((byte) code));
            assertThat(again).as("mu-law %02x", code).isEqualTo((byte) expected);
        }
    }

    @Test
    @DisplayName("G.711 tables 1 and 2: a sample's code is the one in whose interval it lies")
    void quantizesBySegment() {
        for (G711 law : new G711[] {G711.MULAW, G711.ALAW}) {
            for (int sample = Short.MIN_VALUE; sample <= Short.MAX_VALUE; sample++) {
                byte code = law.encode((short) sample);
                short value = law.decode(code);
                // Intervals reach half a step of the value's own segment: the next louder code has
                // the step; the loudest takes all that is louder.
                int louder = law.decode(louder(law, code));
                int reach = louder == value ? 650 : Math.abs(louder - value) / 2;
                assertThat(Math.abs(value - sample)).as("%d", sample).isLessThanOrEqualTo(reach);
            }
        }
    }

    private static byte louder(G711 law, byte code) {
        int inverted = law == G711.MULAW ? 0xFF : 0x55;
        int bits = (code & 0xFF) ^ inverted;
        return (byte) (((bits & 0x7F) == 0x7F ? bits : bits + 1) ^ inverted);
    }
}
