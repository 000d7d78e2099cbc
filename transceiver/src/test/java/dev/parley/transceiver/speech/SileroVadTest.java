package dev.parley.transceiver.speech;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SileroVadTest {
    private final SileroVad vad = new SileroVad();

    /** The probabilities were made by ONNX Runtime 1.30.0 with the published network. */
    @Test
    void answersAsTheReferenceDoes() throws IOException {
        short[] pcm = CallerVoice.samples();
        String[] expected = reference().split("\n", -1);
        for (int i = 0; (i + 1) * SileroVad.CHUNK <= pcm.length; i++) {
            assertThat((double) vad.probability(pcm, i * SileroVad.CHUNK))
                    .as("chunk %d", i)
                    .isCloseTo(Double.parseDouble(expected[i]), within(1e-4));
        }
    }

    private static String reference() throws IOException {
        try (InputStream in = SileroVadTest.class.getResourceAsStream("caller-probabilities.txt")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void answersTheSameAfterAReset() {
        short[] pcm = CallerVoice.samples();
        float first = vad.probability(pcm, 8_000);
        vad.probability(pcm, 20_000);
        vad.reset();
        assertThat(vad.probability(pcm, 8_000)).isEqualTo(first);
    }

    @Test
    void hearsNoSpeechInSilenceNoiseOrATone() {
        Random random = new Random(3);
        short[] chunk = new short[SileroVad.CHUNK];
        for (int kind = 0; kind < 3; kind++) {
            vad.reset();
            for (int i = 0; i < 100; i++) {
                for (int j = 0; j < chunk.length; j++) {
                    double phase = 2 * Math.PI * 440 * (i * chunk.length + j) / SileroVad.RATE_HZ;
                    chunk[j] =
                            (short)
                                    switch (kind) {
                                        case 0 -> 0;
                                        case 1 -> random.nextGaussian() * 1_000;
                                        default -> 8_000 * Math.sin(phase);
                                    };
                }
                float probability = vad.probability(chunk, 0);
                assertThat(probability).as("kind %d, chunk %d", kind, i).isLessThan(0.5f);
            }
        }
    }

    @Test
    void allocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        short[] chunk = new short[SileroVad.CHUNK];
        vad.probability(chunk, 0);
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 200; i++) {
            vad.probability(chunk, 0);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(200);
    }
}
