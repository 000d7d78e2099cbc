package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.client.Wav;
import dev.parley.proto.inference.v1.EndReason;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Agents that speak PCM, heard by libwebrtc: what they say must arrive as they said it. */
class LibwebrtcCallTest {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final double TONE_HZ = 440;

    /**
     * Score of the same speech after it was coded twice and went through two jitter buffers: 0.8 to
     * 0.9. Anything that is not that speech stays below 0.15.
     */
    private static final double SAME_SPEECH_CODED_TWICE = 0.5;

    /** Of the heard power, what must lie at the tone; one whose frames repeat has 0.01. */
    private static final double PURE = 0.95;

    private static WatchedProduct system;

    @BeforeAll
    static void start() {
        system = WatchedProduct.start();
    }

    @AfterAll
    static void stop() {
        system.close();
    }

    @BeforeEach
    void forget() {
        system.stub().forget();
    }

    @Test
    void theParrotSaysBackWhatItHeard() throws Exception {
        Wav sentence = SpeechSample.sentence();
        try (LibwebrtcCaller caller = call("parrot")) {
            LibwebrtcCaller.Setup setup = caller.awaitConnected(CONNECT_TIMEOUT);
            caller.say(sentence).join();
            printSetup(setup, caller.millis(system.stub().only().firstAudioNanos().get()));
            caller.listen(Duration.ofMillis(2_000 + (long) (1_000 * sentence.seconds())));

            Correlation.Match match = Correlation.of(sentence, caller.heard());
            System.out.printf(Locale.ROOT, "libwebrtc <- parrot: %s; %s%n", match, caller.stats());
            assertThat(match.score()).isGreaterThan(SAME_SPEECH_CODED_TWICE);
            assertThat(caller.hangUp()).isEqualTo(200);
        }
    }

    @Test
    void theToneIsATone() {
        try (LibwebrtcCaller caller = call("tone")) {
            caller.awaitConnected(CONNECT_TIMEOUT);
            caller.listen(Duration.ofSeconds(4));

            double purity = shareAt(TONE_HZ, caller.heard());
            System.out.printf(
                    Locale.ROOT, "libwebrtc <- tone: %.3f of the power at 440 Hz%n", purity);
            assertThat(purity).isGreaterThan(PURE);
        }
    }

    @Test
    void aClientThatClosesEndsItsCall() throws Exception {
        try (LibwebrtcCaller caller = call("silence")) {
            caller.awaitConnected(CONNECT_TIMEOUT);
        }

        assertThat(system.stub().only().endReason().get(10, TimeUnit.SECONDS))
                .isEqualTo(EndReason.END_REASON_CLIENT_HANGUP);
    }

    private static void printSetup(LibwebrtcCaller.Setup setup, double firstAudio) {
        System.out.printf(
                Locale.ROOT,
                "set-up, from offer to first decoded audio at the stub: %.0f ms = signaling %.0f + ICE %.0f"
                        + " + DTLS %.0f + first packet %.0f%n",
                firstAudio - setup.offered(),
                setup.answered() - setup.offered(),
                setup.iceConnected() - setup.answered(),
                setup.connected() - setup.iceConnected(),
                firstAudio - setup.connected());
    }

    private static LibwebrtcCaller call(String model) {
        return LibwebrtcCaller.call(URI.create(system.url()), model);
    }

    /**
     * Median over quarter seconds, the first and last second left out, of the power at a frequency.
     */
    private static double shareAt(double hertz, Wav heard) {
        int rate = heard.sampleRateHz();
        int window = rate / 4;
        double[] shares = new double[heard.samples().length / window];
        for (int i = 0; i < shares.length; i++) {
            double sine = 0;
            double cosine = 0;
            double power = 0;
            for (int j = i * window; j < (i + 1) * window; j++) {
                double sample = heard.samples()[j];
                double phase = 2 * Math.PI * hertz * j / rate;
                sine += sample * Math.sin(phase);
                cosine += sample * Math.cos(phase);
                power += sample * sample;
            }
            // A pure tone of amplitude A has the power A^2/2 and a transform of A/2 per sample.
            shares[i] = power == 0 ? 0 : 2 * (sine * sine + cosine * cosine) / window / power;
        }
        double[] steady =
                Arrays.copyOfRange(
                        shares, Math.min(4, shares.length), Math.max(4, shares.length - 4));
        Arrays.sort(steady);
        return steady.length == 0 ? 0 : steady[steady.length / 2];
    }
}
