package dev.parley.transceiver.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VoiceCodecTest {
    private static final InferenceFormat LINEAR_24K =
            new InferenceFormat(Encoding.LINEAR16, 24_000);

    private final OpusLibrary library = OpusLibrary.best();
    private final List<byte[]> packets = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({
        "LINEAR16, 8000",
        "LINEAR16, 16000",
        "LINEAR16, 24000",
        "LINEAR16, 48000",
        "MULAW, 8000",
        "ALAW, 8000",
    })
    void carriesSpeechBothWays(Encoding encoding, int rate) {
        InferenceFormat format = new InferenceFormat(encoding, rate);
        short[] voice = TestSignal.voice(rate, 2_000);
        encode(format, bytesOf(format, voice), 1_000_003);
        assertThat(packets).hasSize(100);
        short[] heard = pcmOf(format, decode(format));
        int lag = TestSignal.bestLag(voice, heard, rate / 50);
        assertThat(TestSignal.correlation(voice, heard, 0, voice.length - rate / 50, lag))
                .isGreaterThan(0.95);
    }

    @Test
    void piecesOfAnyLengthMakeTheSamePackets() {
        byte[] audio = bytesOf(LINEAR_24K, TestSignal.voice(24_000, 500));
        encode(LINEAR_24K, audio, audio.length);
        List<String> whole = hex();
        for (int piece : new int[] {1, 7, 959, 960, 961, 5_000}) {
            packets.clear();
            encode(LINEAR_24K, audio, piece);
            assertThat(hex()).as("pieces of %d bytes", piece).isEqualTo(whole);
        }
    }

    @Test
    void flushFillsTheTailWithSilence() {
        try (VoiceEncoder encoder = new VoiceEncoder(library, LINEAR_24K, OpusSettings.VOICE)) {
            encoder.encode(ByteBuffer.allocate(2 * 500), 0, 2 * 500, this::keep);
            assertThat(packets).hasSize(1);
            assertThat(encoder.waitingSamples()).isEqualTo(20);
            assertThat(encoder.flush(this::keep)).isEqualTo(460);
            assertThat(packets).hasSize(2);
            assertThat(encoder.flush(this::keep)).isZero();
            assertThat(packets).hasSize(2);
            assertThat(encoder.failures()).isZero();
        }
    }

    @Test
    void resetDropsWhatWaits() {
        try (VoiceEncoder encoder = new VoiceEncoder(library, LINEAR_24K, OpusSettings.VOICE)) {
            encoder.encode(ByteBuffer.allocate(101), 0, 101, this::keep);
            encoder.reset();
            assertThat(encoder.waitingSamples()).isZero();
            assertThat(encoder.flush(this::keep)).isZero();
            // The half sample is gone too: these are 480 whole ones.
            encoder.encode(ByteBuffer.allocate(960), 0, 960, this::keep);
            assertThat(packets).hasSize(1);
        }
    }

    @Test
    void fillsInWhatWasLostOnOpusClock() {
        encode(LINEAR_24K, bytesOf(LINEAR_24K, TestSignal.voice(24_000, 200)), 100_000);
        try (VoiceDecoder decoder = VoiceDecoder.ofOpus(library, LINEAR_24K)) {
            byte[] first = packets.get(5);
            assertThat(decoder.decode(ByteBuffer.wrap(first), 0, first.length)).isEqualTo(480);
            assertThat(decoder.lengthBytes()).isEqualTo(960);
            assertThat(decoder.conceal(960)).isEqualTo(480);
            assertThat(decoder.levelDbov()).isGreaterThan(-60);
            byte[] next = packets.get(7);
            ByteBuffer nextBytes = ByteBuffer.wrap(next);
            assertThat(decoder.recover(nextBytes, 0, next.length, 960)).isEqualTo(480);
            assertThat(decoder.conceal(5_760)).isEqualTo(2_880);
        }
    }

    @Test
    void garbageLeavesNoAudio() {
        try (VoiceDecoder decoder = VoiceDecoder.ofOpus(library, LINEAR_24K)) {
            assertThat(decoder.conceal(960)).isEqualTo(480);
            byte[] garbage = {(byte) 0xFF, 0};
            assertThat(decoder.decode(ByteBuffer.wrap(garbage), 0, 2))
                    .isEqualTo(OpusError.INVALID_PACKET.code());
            assertThat(decoder.lengthBytes()).isZero();
            assertThat(decoder.levelDbov()).isEqualTo(Pcm.SILENCE_DBOV);
        }
    }

    @Test
    void encodesRandomBytesOfAnyFormat() {
        Random random = new Random(3);
        byte[] noise = new byte[30_000];
        random.nextBytes(noise);
        for (Encoding encoding :
                new Encoding[] {Encoding.LINEAR16, Encoding.MULAW, Encoding.ALAW}) {
            packets.clear();
            InferenceFormat format = new InferenceFormat(encoding, 8_000);
            encode(format, noise, 777);
            assertThat(packets).hasSize((noise.length / format.bytesPerSample() + 159) / 160);
        }
    }

    @Test
    void refusesFormatsThatItCannotCarry() {
        assertThatThrownBy(() -> new InferenceFormat(Encoding.LINEAR16, 44_100))
                .hasMessage("LINEAR16 at 44100 Hz");
        assertThatThrownBy(() -> new InferenceFormat(Encoding.MULAW, 16_000))
                .isInstanceOf(IllegalArgumentException.class);
        InferenceFormat opus = new InferenceFormat(Encoding.OPUS, 48_000);
        assertThatThrownBy(() -> VoiceDecoder.ofOpus(library, opus))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new VoiceEncoder(library, opus, OpusSettings.VOICE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private void encode(InferenceFormat format, byte[] audio, int piece) {
        try (VoiceEncoder encoder = new VoiceEncoder(library, format, OpusSettings.VOICE)) {
            ByteBuffer bytes = ByteBuffer.wrap(audio);
            for (int at = 0; at < audio.length; at += piece) {
                encoder.encode(bytes, at, Math.min(piece, audio.length - at), this::keep);
            }
            encoder.flush(this::keep);
        }
    }

    private void keep(ByteBuffer bytes, int offset, int length) {
        byte[] packet = new byte[length];
        bytes.get(offset, packet);
        packets.add(packet);
    }

    private List<String> hex() {
        return packets.stream().map(HexFormat.of()::formatHex).toList();
    }

    private byte[] decode(InferenceFormat format) {
        byte[] audio = new byte[packets.size() * format.frameSamples() * format.bytesPerSample()];
        int at = 0;
        try (VoiceDecoder decoder = VoiceDecoder.ofOpus(library, format)) {
            for (byte[] packet : packets) {
                assertThat(decoder.decode(ByteBuffer.wrap(packet), 0, packet.length))
                        .isEqualTo(format.frameSamples());
                System.arraycopy(decoder.bytes(), 0, audio, at, decoder.lengthBytes());
                at += decoder.lengthBytes();
            }
        }
        return at == audio.length ? audio : Arrays.copyOf(audio, at);
    }

    private static byte[] bytesOf(InferenceFormat format, short[] pcm) {
        byte[] bytes = new byte[pcm.length * format.bytesPerSample()];
        if (format.encoding() == Encoding.LINEAR16) {
            Pcm.writeS16le(pcm, 0, pcm.length, bytes, 0);
            return bytes;
        }
        for (int i = 0; i < pcm.length; i++) {
            bytes[i] = law(format).encode(pcm[i]);
        }
        return bytes;
    }

    private static short[] pcmOf(InferenceFormat format, byte[] bytes) {
        short[] pcm = new short[bytes.length / format.bytesPerSample()];
        if (format.encoding() == Encoding.LINEAR16) {
            Pcm.readS16le(ByteBuffer.wrap(bytes), 0, pcm, 0, pcm.length);
            return pcm;
        }
        for (int i = 0; i < pcm.length; i++) {
            pcm[i] = law(format).decode(bytes[i]);
        }
        return pcm;
    }

    private static G711 law(InferenceFormat format) {
        return format.encoding() == Encoding.MULAW ? G711.MULAW : G711.ALAW;
    }
}
