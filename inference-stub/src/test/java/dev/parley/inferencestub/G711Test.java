package dev.parley.inferencestub;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class G711Test {
    @Test
    @DisplayName("G.711 table 2a: the ends and the middle of mu-law")
    void decodesKnownMuLawValues() {
        assertThat(G711.decodeMuLaw((byte) 0x00)).isEqualTo((short) -32_124);
        assertThat(G711.decodeMuLaw((byte) 0x80)).isEqualTo((short) 32_124);
        assertThat(G711.decodeMuLaw((byte) 0xFF)).isEqualTo((short) 0);
        assertThat(G711.decodeMuLaw((byte) 0xFE)).isEqualTo((short) 8);
        assertThat(G711.decodeMuLaw((byte) 0x8F)).isEqualTo((short) 16_764);
    }

    @Test
    @DisplayName("G.711 table 1a: the ends and the middle of A-law")
    void decodesKnownALawValues() {
        assertThat(G711.decodeALaw((byte) 0xAA)).isEqualTo((short) 32_256);
        assertThat(G711.decodeALaw((byte) 0x2A)).isEqualTo((short) -32_256);
        assertThat(G711.decodeALaw((byte) 0xD5)).isEqualTo((short) 8);
        assertThat(G711.decodeALaw((byte) 0x55)).isEqualTo((short) -8);
        assertThat(G711.decodeALaw((byte) 0xD4)).isEqualTo((short) 24);
    }

    @Test
    void everyCodeSurvivesDecodingAndEncoding() {
        for (int code = 0; code < 256; code++) {
            // Mu-law has two zeros; the positive one is sent.
            byte expected = code == 0x7F ? (byte) 0xFF : (byte) code;
            assertThat(G711.encodeMuLaw(G711.decodeMuLaw((byte) code))).isEqualTo(expected);
            assertThat(G711.encodeALaw(G711.decodeALaw((byte) code))).isEqualTo((byte) code);
        }
    }

    @Test
    void everySampleComesBackWithinOneStep() {
        for (int sample = Short.MIN_VALUE; sample <= Short.MAX_VALUE; sample++) {
            int allowed = 16 + Math.abs(sample) / 16;
            int clipped = Math.clamp(sample, -32_635, 32_635);
            assertThat((int) G711.decodeMuLaw(G711.encodeMuLaw((short) sample)))
                    .isBetween(clipped - allowed, clipped + allowed);
            assertThat((int) G711.decodeALaw(G711.encodeALaw((short) sample)))
                    .isBetween(sample - allowed, sample + allowed);
        }
    }
}
