package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class VoiceQualityG107Test {
    @Test
    @DisplayName(
            "G.107 annex B: R = 93.2 is a MOS of 4.41, 80 of 4.03, 70 of 3.60, 60 of 3.10, 50 of 2.58")
    void mapsRatingsToOpinions() {
        assertThat(VoiceQuality.meanOpinionScore(93.2)).isCloseTo(4.41, within(0.005));
        assertThat(VoiceQuality.meanOpinionScore(80)).isCloseTo(4.03, within(0.01));
        assertThat(VoiceQuality.meanOpinionScore(70)).isCloseTo(3.60, within(0.01));
        assertThat(VoiceQuality.meanOpinionScore(60)).isCloseTo(3.10, within(0.01));
        assertThat(VoiceQuality.meanOpinionScore(50)).isCloseTo(2.58, within(0.01));
        assertThat(VoiceQuality.meanOpinionScore(0)).isEqualTo(1);
        assertThat(VoiceQuality.meanOpinionScore(3)).isEqualTo(1);
    }

    @Test
    void noticesDelayAboveAllWhenItIsLong() {
        assertThat(VoiceQuality.rating(0, 0)).isEqualTo(93.2);
        assertThat(VoiceQuality.rating(100, 0)).isCloseTo(90.8, within(0.01));
        assertThat(VoiceQuality.rating(400, 0)).isCloseTo(59.1, within(0.05));
        assertThat(VoiceQuality.rating(100_000, 0)).isZero();
    }

    @Test
    @DisplayName("G.107 7.5 with G.113's Bpl of 25.1: 1 % of loss costs 3.6, 5 % 15.8, 20 % 42.1")
    void noticesLoss() {
        assertThat(93.2 - VoiceQuality.rating(0, 0.01)).isCloseTo(3.64, within(0.01));
        assertThat(93.2 - VoiceQuality.rating(0, 0.05)).isCloseTo(15.78, within(0.01));
        assertThat(93.2 - VoiceQuality.rating(0, 0.20)).isCloseTo(42.13, within(0.01));
        assertThat(VoiceQuality.rating(0, 3)).isEqualTo(VoiceQuality.rating(0, 1));
    }
}
