package dev.parley.transceiver.audio;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OpusSettingsRfc7587Test {
    @Test
    @DisplayName("RFC 7587 6.1: a decoder that says nothing gets no FEC, no DTX, and any bandwidth")
    void takesTheDefaultsOfTheRfc() {
        assertThat(OpusSettings.VOICE.forClient(Map.of()))
                .isEqualTo(new OpusSettings(32_000, 5, false, 5, false, false, OpusBandwidth.FULL));
    }

    @Test
    @DisplayName("RFC 7587 6.1: useinbandfec, usedtx, cbr, maxaveragebitrate, maxplaybackrate")
    void doesWhatTheDecoderPrefers() {
        Map<String, String> parameters =
                Map.of(
                        "useinbandfec", "1",
                        "usedtx", "1",
                        "cbr", "1",
                        "stereo", "1",
                        "maxaveragebitrate", "20000",
                        "maxplaybackrate", "16000");
        assertThat(OpusSettings.VOICE.forClient(parameters))
                .isEqualTo(new OpusSettings(20_000, 5, true, 5, true, true, OpusBandwidth.WIDE));
    }

    @Test
    void neverRaisesTheBitrateAndNeverLeavesOpusBounds() {
        assertThat(bitrate("64000")).isEqualTo(32_000);
        assertThat(bitrate("100")).isEqualTo(6_000);
        assertThat(bitrate("lots")).isEqualTo(32_000);
        assertThat(bitrate("99999999999")).isEqualTo(32_000);
    }

    @Test
    void takesTheBandwidthThatHoldsThePlaybackRate() {
        assertThat(OpusBandwidth.forPlayback(8_000)).isEqualTo(OpusBandwidth.NARROW);
        assertThat(OpusBandwidth.forPlayback(11_025)).isEqualTo(OpusBandwidth.MEDIUM);
        assertThat(OpusBandwidth.forPlayback(24_000)).isEqualTo(OpusBandwidth.SUPER_WIDE);
        assertThat(OpusBandwidth.forPlayback(96_000)).isEqualTo(OpusBandwidth.FULL);
    }

    private static int bitrate(String most) {
        return OpusSettings.VOICE.forClient(Map.of("maxaveragebitrate", most)).bitrate();
    }
}
