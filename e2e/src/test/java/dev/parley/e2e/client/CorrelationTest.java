package dev.parley.e2e.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.parley.e2e.client.Correlation.Match;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Why {@link Correlation#SAME_SPEECH} is strict: what must pass does so by far, the rest fails. */
class CorrelationTest {
    private static final int RATE = 16_000;

    private final Wav caller = SpeechSample.caller();

    @Test
    void findsASignalInItself() {
        Match match = Correlation.of(caller, caller);
        assertThat(match.score()).isGreaterThan(0.999);
        assertThat(match.alike()).isEqualTo(1);
        assertThat(match.delayMillis()).isZero();
        assertThat(match.windows()).isEqualTo(29);
    }

    @Test
    void tellsTheDelay() {
        Match match = Correlation.of(caller, delayed(caller, 3 * RATE / 4));
        assertThat(match.score()).isGreaterThan(0.999);
        assertThat(match.delayMillis()).isEqualTo(750);
        assertThat(match.driftMillis()).isZero();
    }

    @Test
    void allowsForDelaysBetweenTwoSamples() {
        // Half a sample at 8 kHz is the worst.
        Match match = Correlation.of(caller, delayed(caller, 12_345));
        assertThat(match.score()).isGreaterThan(0.9);
        assertThat(match.delayMillis()).isCloseTo(771.5, within(0.2));
    }

    @Test
    void caresNotForVolumeOrSampleRate() {
        short[] samples = new short[caller.samples().length * 3];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (short) (caller.samples()[i / 3] / 10);
        }
        assertThat(Correlation.of(caller, new Wav(48_000, samples)).score()).isGreaterThan(0.95);
    }

    @Test
    void followsAJitterBufferThatKeepsCutting() {
        Match match = Correlation.of(caller, hurried());
        assertThat(match.score()).isGreaterThan(0.99);
        assertThat(match.alike()).isBetween(0.7, 0.9);
        // 12.5 ms each second.
        assertThat(match.driftMillis()).isCloseTo(87.5, within(0.2));
    }

    @Test
    void passesSpeechInSomeNoiseAndWithSomeHoles() {
        assertThat(Correlation.of(caller, noisy(0.3)).score()).isGreaterThan(0.95);
        assertThat(Correlation.of(caller, holes(10)).score()).isGreaterThan(0.9);
    }

    @Test
    void failsAnotherVoice() {
        assertFails(SpeechSample.stranger());
        assertThat(Correlation.of(SpeechSample.stranger(), caller).score()).isLessThan(0.15);
    }

    @Test
    void failsTheSameSpeechBackwards() {
        assertFails(reversed());
    }

    @Test
    void failsTheSameSentencesInAnotherOrder() {
        assertFails(reordered());
    }

    @Test
    void failsNoiseToneAndSilence() {
        assertFails(noise(8));
        assertFails(tone());
        assertFails(new Wav(RATE, new short[8 * RATE]));
        assertFails(new Wav(RATE, new short[0]));
    }

    @Test
    void failsNoiseThatIsAsLoudAsTheSpeechAtEachMoment() {
        assertFails(noiseLikeSpeech());
        // Where envelopes are all that is compared it does pass.
        assertThat(Correlation.ofEnvelopes(caller, noiseLikeSpeech())).isGreaterThan(0.9);
    }

    @Test
    void failsSpeechOfWhichHalfIsMissing() {
        short[] samples = caller.samples();
        assertFails(new Wav(RATE, Arrays.copyOfRange(samples, 3 * RATE, samples.length)));
        assertFails(new Wav(RATE, Arrays.copyOf(samples, 3 * RATE)));
    }

    @Test
    void failsInvertedSpeech() {
        assertThat(Correlation.of(caller, inverted()).score()).isLessThan(0.6);
    }

    @Test
    void envelopesTellAnotherRhythm() {
        assertThat(Correlation.ofEnvelopes(caller, delayed(caller, RATE))).isGreaterThan(0.95);
        assertThat(Correlation.ofEnvelopes(caller, SpeechSample.stranger())).isLessThan(0.4);
        assertThat(Correlation.ofEnvelopes(caller, reversed())).isLessThan(0.4);
        assertThat(Correlation.ofEnvelopes(caller, reordered())).isLessThan(0.4);
    }

    @Test
    void silenceIsLikeNothing() {
        Wav silence = new Wav(RATE, new short[RATE]);
        assertThat(Correlation.of(silence, caller)).isEqualTo(new Match(0, 0, 0, 0, 0));
        assertThat(Correlation.ofEnvelopes(silence, caller)).isZero();
    }

    private void assertFails(Wav captured) {
        Match match = Correlation.of(caller, captured);
        assertThat(match.score()).isLessThan(0.15);
        assertThat(match.alike()).isLessThan(0.5);
    }

    private Wav reversed() {
        short[] samples = new short[caller.samples().length];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = caller.samples()[samples.length - 1 - i];
        }
        return new Wav(RATE, samples);
    }

    private static Wav noise(int seconds) {
        Random random = new Random(5);
        short[] samples = new short[seconds * RATE];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (short) (3_000 * random.nextGaussian());
        }
        return new Wav(RATE, samples);
    }

    private Wav noiseLikeSpeech() {
        Random random = new Random(6);
        short[] samples = new short[caller.samples().length];
        double level = 0;
        for (int i = 0; i < samples.length; i++) {
            level += 0.01 * (Math.abs(caller.samples()[i]) - level);
            samples[i] = clip(level * random.nextGaussian());
        }
        return new Wav(RATE, samples);
    }

    private static Wav tone() {
        short[] samples = new short[8 * RATE];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (short) (8_000 * Math.sin(2 * Math.PI * 140 * i / RATE));
        }
        return new Wav(RATE, samples);
    }

    private static Wav delayed(Wav wav, int by) {
        short[] samples = new short[wav.samples().length + 2 * by];
        System.arraycopy(wav.samples(), 0, samples, by, wav.samples().length);
        return new Wav(wav.sampleRateHz(), samples);
    }

    private Wav noisy(double share) {
        short[] noise = noise(8).samples();
        short[] samples = caller.samples().clone();
        for (int i = 0; i < samples.length; i++) {
            samples[i] = clip(samples[i] + share * noise[i]);
        }
        return new Wav(RATE, samples);
    }

    private Wav reordered() {
        short[] samples = caller.samples().clone();
        short[] moved = new short[samples.length];
        int by = samples.length * 2 / 5;
        System.arraycopy(samples, by, moved, 0, samples.length - by);
        System.arraycopy(samples, 0, moved, samples.length - by, by);
        return new Wav(RATE, moved);
    }

    private Wav inverted() {
        short[] samples = caller.samples().clone();
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (short) -samples[i];
        }
        return new Wav(RATE, samples);
    }

    private Wav hurried() {
        short[] samples = caller.samples();
        short[] shorter = new short[samples.length];
        int at = 0;
        for (int i = 0; i < samples.length; i++) {
            if (i % RATE < RATE - 200) {
                shorter[at++] = samples[i];
            }
        }
        return new Wav(RATE, Arrays.copyOf(shorter, at));
    }

    private Wav holes(int every) {
        short[] samples = caller.samples().clone();
        for (int i = 0; i < samples.length; i++) {
            if (i / 320 % every == 0) {
                samples[i] = 0;
            }
        }
        return new Wav(RATE, samples);
    }

    private static short clip(double value) {
        return (short) Math.clamp((long) value, Short.MIN_VALUE, Short.MAX_VALUE);
    }
}
