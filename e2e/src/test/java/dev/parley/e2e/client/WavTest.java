package dev.parley.e2e.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WavTest {
    @TempDir private Path folder;

    @Test
    void readsWhatItWrote() {
        short[] samples = {0, 1, -1, Short.MAX_VALUE, Short.MIN_VALUE};
        Path file = folder.resolve("a.wav");
        new Wav(24_000, samples).write(file);
        Wav read = Wav.read(file);
        assertThat(read.sampleRateHz()).isEqualTo(24_000);
        assertThat(read.samples()).isEqualTo(samples);
    }

    @Test
    void readsTheSpeechSamples() {
        assertThat(SpeechSample.caller().sampleRateHz()).isEqualTo(16_000);
        assertThat(SpeechSample.caller().seconds()).isBetween(7.8, 7.9);
        assertThat(SpeechSample.stranger().sampleRateHz()).isEqualTo(8_000);
        assertThat(SpeechSample.stranger().seconds()).isBetween(7.6, 7.7);
    }

    @Test
    void mixesChannelsAndSkipsOtherChunks() {
        ByteBuffer file = ByteBuffer.allocate(100).order(ByteOrder.LITTLE_ENDIAN);
        file.put(ascii("RIFF")).putInt(60).put(ascii("WAVE"));
        file.put(ascii("LIST")).putInt(3).put(ascii("abc\0"));
        file.put(ascii("fmt ")).putInt(16).putShort((short) 1).putShort((short) 2);
        file.putInt(48_000).putInt(192_000).putShort((short) 4).putShort((short) 16);
        file.put(ascii("data")).putInt(8);
        file.putShort((short) 10).putShort((short) 20).putShort((short) -3).putShort((short) -5);
        Wav wav = Wav.parse(file.flip());
        assertThat(wav.sampleRateHz()).isEqualTo(48_000);
        assertThat(wav.samples()).containsExactly(15, -4);
    }

    @Test
    void refusesWhatIsNoWav() {
        assertThatThrownBy(() -> Wav.parse(ByteBuffer.allocate(50)))
                .hasMessage("no RIFF WAVE file");
        assertThatThrownBy(() -> Wav.resource("/no/such.wav"))
                .hasMessage("no resource /no/such.wav");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
