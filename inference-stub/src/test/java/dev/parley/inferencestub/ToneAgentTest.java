package dev.parley.inferencestub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.inferencestub.TestEdge.Call;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToneAgentTest {
    private final TestEdge edge = new TestEdge();

    @AfterEach
    void closeEdge() {
        edge.close();
    }

    @Test
    void startsAtOnceAndStaysOneSecondAhead() {
        Call call = edge.start("tone");
        assertThat(call.audio("tone")).hasSize(24_000);

        edge.advance(40);
        assertThat(call.audio("tone")).hasSize(24_000 + 2_400);

        for (int i = 0; i < 100; i++) {
            edge.advance(50);
        }
        assertThat(call.audio("tone")).hasSize(24_000 * 6 + 2_400);
    }

    @ParameterizedTest
    @CsvSource({"linear16/8000, 8000", "linear16/48000, 48000", "linear16, 24000"})
    void isOneUnbrokenSine(String format, int rateHz) throws Refusal {
        WireFormat wire = WireFormat.named(format);
        Call call =
                edge.open()
                        .send(
                                TestEdge.START
                                        .clone()
                                        .setModel("tone")
                                        .addInputFormats(wire.toProto())
                                        .addOutputFormats(wire.toProto())
                                        .putAttributes("format", format));
        for (int i = 0; i < 30; i++) {
            edge.advance(50);
        }

        short[] samples = call.audio("tone", wire);
        assertThat(samples).hasSizeGreaterThan(rateHz * 2);
        // For a sine s[n-1] + s[n+1] = 2 cos(w) s[n] everywhere, joins included.
        double twoCosine = 2 * Math.cos(2 * Math.PI * 440 / rateHz);
        for (int n = 1; n + 1 < samples.length; n++) {
            double departure = samples[n - 1] + samples[n + 1] - twoCosine * samples[n];
            assertThat(Math.abs(departure)).as("at sample %d", n).isLessThan(2.1);
        }
        int crossings = 0;
        for (int n = 1; n < rateHz; n++) {
            crossings += samples[n - 1] < 0 && samples[n] >= 0 ? 1 : 0;
        }
        assertThat(crossings).isBetween(439, 440);
    }

    @Test
    void waitsForAnEdgeThatTakesNoMore() {
        Call call = edge.open(4).start("tone", Map.of());
        // SessionReady and three pieces of 100 ms.
        assertThat(call.audio("tone")).hasSize(3 * 2_400);

        edge.advance(60_000);
        assertThat(call.audio("tone")).hasSize(3 * 2_400);

        // It has run dry for a minute: a second's worth again, not a minute's.
        call.take(1_000);
        assertThat(call.audio("tone")).hasSize(3 * 2_400 + 24_000);

        edge.advance(50);
        assertThat(call.audio("tone")).hasSize(3 * 2_400 + 24_000 + 2_400);
    }

    @Test
    void silenceSendsNothing() {
        Call call = edge.start("silence");
        call.speak(new short[24_000]);
        edge.advance(10_000);

        assertThat(call.kinds()).isEmpty();
        assertThat(call.sendEnd().status()).isEqualTo("OK");
    }
}
