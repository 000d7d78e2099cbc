package dev.parley.inferencestub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.parley.inferencestub.TestEdge.Call;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SpeakAgentTest {
    private static final int RATE = 24_000;

    private final TestEdge edge = new TestEdge();

    @AfterEach
    void closeEdge() {
        edge.close();
    }

    @Test
    void answersWithWhatItHeardInNumbers() {
        Call call = edge.start("speak").speak(utterance(2));
        assertThat(call.kinds()).isEmpty();

        edge.synthesizer.finish();

        assertThat(call.kinds().getFirst())
                .matches(
                        "transcript I heard 1\\.[0-4] seconds at \\d\\d decibels below full scale\\."
                                + " Say something else\\.");
        assertThat(call.kinds()).last().isEqualTo("audio speak-1");
        assertThat(call.audio("speak-1")).isNotEmpty();
    }

    @Test
    void tellsTheTimeAndAJokeAfterThat() {
        Call call = edge.start("speak");
        for (int i = 0; i < 3; i++) {
            call.speak(utterance(2));
            edge.synthesizer.finish();
        }

        assertThat(edge.synthesizer.texts.get(1)).matches(".* It is 1?\\d:\\d\\d [AP]M\\.");
        assertThat(edge.synthesizer.texts.get(2)).contains("U D P");
    }

    @Test
    void forgetsAnAnswerThatTheCallerDoesNotWaitFor() {
        Call call = edge.start("speak").speak(utterance(2));

        call.speak(utterance(0.8));
        edge.synthesizer.finish();

        assertThat(call.kinds()).isEmpty();
    }

    @Test
    void isInterruptedWhileItSpeaks() {
        Call call = edge.start("speak").speak(utterance(2));
        edge.synthesizer.finish();

        call.speak(utterance(0.8));

        assertThat(call.kinds()).last().isEqualTo("clear speak-1");
    }

    @Test
    void saysThatTheVoiceHasFailed() {
        Call call = edge.start("speak").speak(utterance(2));

        edge.synthesizer.fail();

        assertThat(call.kinds()).containsExactly("ERROR");
    }

    @Test
    void isNotThereWithoutAVoice() {
        edge.synthesizer.installed = false;

        assertThat(edge.start("speak").status())
                .isEqualTo(
                        "NOT_FOUND: model \"speak\" speaks through espeak-ng, which is not"
                                + " installed");
    }

    @Test
    void espeakSpeaksAtTheRateAskedFor() throws Exception {
        EspeakSynthesizer espeak = new EspeakSynthesizer();
        assumeTrue(espeak.available(), "espeak-ng is not installed");

        short[] slow = espeak.speak("-v is not an option", 8_000).get(10, TimeUnit.SECONDS);
        short[] fast = espeak.speak("-v is not an option", 48_000).get(10, TimeUnit.SECONDS);

        assertThat(slow.length).isBetween(8_000, 24_000);
        assertThat(fast.length / (double) slow.length).isBetween(5.9, 6.1);
        assertThat(Levels.rmsDbfs(fast)).isBetween(-35.0, -10.0);
    }

    private static short[] utterance(double seconds) {
        return new SyntheticSpeech(RATE, seconds)
                .noise(0, seconds, -60, 1)
                .speech(0.3, Math.min(seconds, 1.2), -20)
                .samples();
    }
}
