package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.rtp.NtpTime;
import dev.parley.transceiver.audio.OpusSettings;
import org.junit.jupiter.api.Test;

class EncoderSteeringTest {
    private static final long MILLI = 1_000_000L;

    private final EncoderSteering steering = new EncoderSteering(OpusSettings.VOICE);

    private OpusSettings report(double lossPercent, long roundTripMillis) {
        return steering.onReport((int) (lossPercent * 256 / 100), roundTripMillis * MILLI);
    }

    @Test
    void expectsMoreLossAtOnceAndLessSlowly() {
        assertThat(report(12, 50).expectedLossPercent()).isEqualTo(12);
        assertThat(report(0, 50).expectedLossPercent()).isEqualTo(9);
        assertThat(report(0, 50).expectedLossPercent()).isEqualTo(7);
        for (int i = 0; i < 20; i++) {
            report(0, 50);
        }
        assertThat(report(0, 50).expectedLossPercent()).isEqualTo(1);
        assertThat(report(90, 50).expectedLossPercent()).isEqualTo(25);
    }

    @Test
    void keepsTheBitrateWhereTheLinkIsOnlyBad() {
        for (int i = 0; i < 20; i++) {
            assertThat(report(20, 60 + i % 3).bitrate()).isEqualTo(32_000);
        }
    }

    @Test
    void takesTheBitrateBackWhereAQueueIsFullAndGivesItBackAfterwards() {
        report(0, 60);
        assertThat(report(10, 300).bitrate()).isEqualTo(24_000);
        assertThat(report(10, 400).bitrate()).isEqualTo(18_000);
        assertThat(report(10, 500).bitrate()).isEqualTo(16_000);
        assertThat(report(10, 500).bitrate()).isEqualTo(16_000);
        assertThat(report(0, 70).bitrate()).isEqualTo(17_280);
        for (int i = 0; i < 10; i++) {
            report(0, 70);
        }
        assertThat(report(0, 70).bitrate()).isEqualTo(32_000);
    }

    @Test
    void takesALongerWayForTheNormalOneInTheEnd() {
        report(0, 60);
        for (int i = 0; i < 120; i++) {
            report(0, 300);
        }
        assertThat(report(10, 300).bitrate()).isEqualTo(32_000);
    }

    @Test
    void changesNothingOfTheBitrateWithoutARoundTrip() {
        assertThat(steering.onReport(255, NtpTime.UNKNOWN).bitrate()).isEqualTo(32_000);
    }

    @Test
    void answersTheSameSettingsWhileNothingChanges() {
        OpusSettings first = report(50, 50);
        assertThat(report(50, 50)).isSameAs(first);
    }

    @Test
    void neverRaisesABitrateThatIsLowToBeginWith() {
        EncoderSteering low = new EncoderSteering(new OpusSettings(8_000, 5, true, 5));
        low.onReport(0, 50 * MILLI);
        assertThat(low.onReport(60, 500 * MILLI).bitrate()).isEqualTo(8_000);
    }
}
