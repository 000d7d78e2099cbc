package dev.parley.transceiver.speech;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpeechGateTest {
    private static final int CHUNK_MILLIS = 32;

    private final List<String> heard = new ArrayList<>();
    private final SpeechGate gate = gate(new SpeechSettings(0.5f, 100, 320));
    private long now;

    private SpeechGate gate(SpeechSettings settings) {
        return new SpeechGate(
                settings,
                new SpeechGate.Listener() {
                    @Override
                    public void started(long offsetSamples) {
                        heard.add("started " + offsetSamples / 48);
                    }

                    @Override
                    public void stopped(long offsetSamples) {
                        heard.add("stopped " + offsetSamples / 48);
                    }
                });
    }

    private void hear(double probability, int chunks) {
        for (int i = 0; i < chunks; i++) {
            gate.accept((float) probability, now * 48, (now + CHUNK_MILLIS) * 48);
            now += CHUNK_MILLIS;
        }
    }

    @Test
    void tellsWhereSpeechStartsWithItsPaddingAndStops() {
        hear(0, 10);
        hear(0.9, 20);
        hear(0, 9);
        assertThat(heard).containsExactly("started 220");
        hear(0, 1);
        assertThat(heard).containsExactly("started 220", "stopped 960");
        assertThat(gate.speaking()).isFalse();
    }

    @Test
    void startsOnNothingShorterThanASyllable() {
        hear(0, 10);
        hear(0.9, 1);
        hear(0.1, 5);
        assertThat(heard).isEmpty();
    }

    @Test
    void goesOnThroughAPauseThatIsTooShort() {
        hear(0.9, 10);
        hear(0, 9);
        hear(0.9, 3);
        hear(0, 9);
        assertThat(heard).containsExactly("started 0");
    }

    @Test
    void goesOnWhereItWouldNotStart() {
        hear(0.4, 10);
        assertThat(heard).isEmpty();
        hear(0.9, 3);
        hear(0.4, 100);
        assertThat(heard).hasSize(1);
        hear(0.3, 20);
        assertThat(heard).hasSize(2);
    }

    @Test
    void neverReachesBackIntoTheSpeechBefore() {
        hear(0.9, 10);
        hear(0, 12);
        hear(0.9, 3);
        hear(0, 12);
        // Stopped at 320; 704 less the padding is 604.
        assertThat(heard).containsExactly("started 0", "stopped 320", "started 604", "stopped 800");
        SpeechGate greedy = gate(new SpeechSettings(0.5f, 5_000, 0));
        heard.clear();
        greedy.accept(0.9f, 48_000, 52_800);
        greedy.accept(0, 52_800, 57_600);
        greedy.accept(0.9f, 57_600, 62_400);
        assertThat(heard).containsExactly("started 0", "stopped 1100", "started 1100");
    }
}
