package dev.parley.app.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.parley.runtime.config.ConfigException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpeechFramesTest {
    private Path file;

    @BeforeEach
    void file(@TempDir Path folder) {
        file = folder.resolve("voice");
    }

    @Test
    void saysTheBuiltInVoiceOverAndOver() {
        SpeechFrames speech = SpeechFrames.builtIn();

        assertThat(speech.count()).isEqualTo(200);
        assertThat(speech.talk(200)).isEqualTo(speech.talk(0));
        assertThat(speech.silentFrame().length).isLessThan(speech.talk(10).length);
    }

    @Test
    void readsOpusPacketsOutOfAnOggFile() throws IOException {
        byte[] frame = {(byte) 0xF8, 9, 8, 7};
        Files.write(
                file, ogg(head("OpusHead"), head("OpusTags"), frame, new byte[] {(byte) 0xFB, 2}));

        SpeechFrames speech = SpeechFrames.of(file);

        assertThat(speech.count()).isEqualTo(1);
        assertThat(speech.talk(0)).contains(9, 8, 7);
    }

    @Test
    void readsAWavFile() throws IOException {
        Files.write(file, wav(16_000, 1, new short[16_000]));

        assertThat(SpeechFrames.of(file).count()).isEqualTo(50);
    }

    @Test
    void refusesWhatItCannotSay() throws IOException {
        Files.write(file, wav(44_100, 2, new short[44_100]));
        refuses("16 bit, mono");
        Files.write(file, new byte[100]);
        refuses("neither a WAV nor an Ogg");
        Files.write(file, ogg(head("OpusHead"), head("OpusTags")));
        refuses("no Opus packets");
        Files.write(file, wav(16_000, 1, new short[10]));
        refuses("shorter than one frame");
        Files.writeString(file, "RIFF....WAVE");
        refuses("no whole WAV");
        Files.write(file, chunk("LIST", 0x7FFF_FFFF));
        refuses("no whole WAV");
        Files.write(file, chunk("LIST", 0xFFFF_FFFF));
        refuses("no whole WAV");
    }

    @Test
    void readsAWavFileThatWasNeverClosed() throws IOException {
        byte[] wav = wav(16_000, 1, new short[16_000]);
        ByteBuffer.wrap(wav).putInt(40, 0xFFFF_FFFF);
        Files.write(file, wav);

        assertThat(SpeechFrames.of(file).count()).isEqualTo(50);
    }

    /** A WAV file of one chunk that claims more than there is. */
    private static byte[] chunk(String name, int length) {
        ByteBuffer wav = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
        wav.put("RIFF....WAVE".getBytes(StandardCharsets.US_ASCII));
        wav.put(name.getBytes(StandardCharsets.US_ASCII)).putInt(length);
        return wav.array();
    }

    private void refuses(String why) {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> SpeechFrames.of(file))
                .withMessageStartingWith("--audio is ")
                .withMessageContaining(why);
    }

    private static byte[] head(String name) {
        return (name + " and more").getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] ogg(byte[]... packets) {
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        page.writeBytes("OggS".getBytes(StandardCharsets.US_ASCII));
        page.writeBytes(new byte[22]);
        page.write(packets.length);
        for (byte[] packet : packets) {
            page.write(packet.length);
        }
        for (byte[] packet : packets) {
            page.writeBytes(packet);
        }
        return page.toByteArray();
    }

    private static byte[] wav(int rateHz, int channels, short[] samples) {
        ByteBuffer wav =
                ByteBuffer.allocate(44 + samples.length * 2).order(ByteOrder.LITTLE_ENDIAN);
        wav.put("RIFF".getBytes(StandardCharsets.US_ASCII)).putInt(36 + samples.length * 2);
        wav.put("WAVEfmt ".getBytes(StandardCharsets.US_ASCII)).putInt(16);
        wav.putShort((short) 1).putShort((short) channels).putInt(rateHz);
        wav.putInt(rateHz * channels * 2).putShort((short) (channels * 2)).putShort((short) 16);
        wav.put("data".getBytes(StandardCharsets.US_ASCII)).putInt(samples.length * 2);
        for (short sample : samples) {
            wav.putShort(sample);
        }
        return wav.array();
    }
}
