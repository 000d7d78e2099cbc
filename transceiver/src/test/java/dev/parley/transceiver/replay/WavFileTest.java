package dev.parley.transceiver.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.parley.transceiver.replay.RecordedCall.UnreadableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WavFileTest {
    private static final int SAMPLES = 320;

    private Path file;

    @BeforeEach
    void file(@TempDir Path folder) {
        file = folder.resolve("voice.wav");
    }

    @Test
    void passesOverChunksThatItDoesNotKnow() throws IOException, UnreadableException {
        Files.write(file, wav(3, 2 * SAMPLES));

        assertThat(WavFile.read(file).audio()).hasSize(2 * SAMPLES);
    }

    @Test
    void takesWhatIsThereOfAFileThatWasNeverClosed() throws IOException, UnreadableException {
        for (int length : new int[] {0, 0x7FFF_FFFF, 0xFFFF_FFFF}) {
            Files.write(file, wav(4, length));

            assertThat(WavFile.read(file).audio()).hasSize(2 * SAMPLES);
        }
    }

    @Test
    void saysThatThereIsNoAudioBehindAChunkThatClaimsMoreThanThereIs() throws IOException {
        for (int length : new int[] {0x7FFF_FFF0, 0x7FFF_FFFF, 0xFFFF_FFFF}) {
            Files.write(file, wav(length, 2 * SAMPLES));

            assertThatExceptionOfType(UnreadableException.class)
                    .isThrownBy(() -> WavFile.read(file))
                    .withMessageContaining("has no audio");
        }
    }

    /** With a chunk nobody knows in front, of 4 bytes whatever it claims. */
    private static byte[] wav(int claimed, int dataLength) {
        ByteBuffer wav = ByteBuffer.allocate(56 + 2 * SAMPLES).order(ByteOrder.LITTLE_ENDIAN);
        word(wav, "RIFF").putInt(0);
        word(wav, "WAVE");
        word(wav, "LIST").putInt(claimed).putInt(0);
        word(wav, "fmt ").putInt(16).putShort((short) 1).putShort((short) 1);
        wav.putInt(16_000).putInt(32_000).putShort((short) 2).putShort((short) 16);
        word(wav, "data").putInt(dataLength);
        return wav.array();
    }

    private static ByteBuffer word(ByteBuffer into, String word) {
        return into.put(word.getBytes(StandardCharsets.US_ASCII));
    }
}
