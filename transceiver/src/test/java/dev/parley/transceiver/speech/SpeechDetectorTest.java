package dev.parley.transceiver.speech;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpeechDetectorTest {
    private static final int RATE_HZ = SileroVad.RATE_HZ;

    private final List<Long> starts = new ArrayList<>();
    private final List<Long> stops = new ArrayList<>();
    private final SpeechDetector detector =
            new SpeechDetector(
                    new SpeechSettings(0.5f, 0, 400),
                    new SpeechGate.Listener() {
                        @Override
                        public void started(long offsetSamples) {
                            starts.add(offsetSamples / 48);
                        }

                        @Override
                        public void stopped(long offsetSamples) {
                            stops.add(offsetSamples / 48);
                        }
                    });

    private void play(short[] pcm, long offsetMillis, int frame) {
        for (int at = 0; at < pcm.length; at += frame) {
            int samples = Math.min(frame, pcm.length - at);
            detector.accept(
                    offsetMillis * 48 + at * 3L,
                    Arrays.copyOfRange(pcm, at, at + samples),
                    samples);
        }
    }

    @Test
    void findsTheSameSpeechHoweverItComesInPieces() {
        play(CallerVoice.samples(), 0, 320);
        play(new short[RATE_HZ], 7_829, 320);
        List<Long> started = List.copyOf(starts);
        List<Long> stopped = List.copyOf(stops);
        assertThat(started).hasSize(3).first().satisfies(at -> assertThat(at).isLessThan(100));
        assertThat(stopped).hasSize(3);
        for (int i = 0; i < 3; i++) {
            assertThat(stopped.get(i)).isGreaterThan(started.get(i));
        }

        SpeechDetector other = detector;
        other.silence(48_000);
        starts.clear();
        stops.clear();
        play(CallerVoice.samples(), 20_000, 1_920);
        assertThat(starts).hasSameSizeAs(started);
    }

    @Test
    void stopsWhenTimePassesWithoutAudio() {
        short[] voice = Arrays.copyOf(CallerVoice.samples(), RATE_HZ);
        play(voice, 0, 320);
        assertThat(detector.speaking()).isTrue();
        detector.silence(400 * 48);
        assertThat(detector.speaking()).isFalse();
        assertThat(stops)
                .hasSize(1)
                .first()
                .satisfies(at -> assertThat(at).isBetween(960L, 1_000L));
    }

    @Test
    void takesAHoleInTheOffsetsForSilence() {
        short[] voice = Arrays.copyOf(CallerVoice.samples(), RATE_HZ);
        play(voice, 0, 320);
        play(voice, 3_000, 320);
        assertThat(starts).hasSize(2);
        assertThat(stops).hasSize(1);
        assertThat(starts.getLast()).isBetween(3_000L, 3_100L);
    }
}
