package dev.parley.transceiver.audio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PCM of every rate for a client that speaks G.711 alone. */
class G711EncoderTest {
    @ParameterizedTest
    @ValueSource(ints = {8_000, 16_000, 24_000, 48_000})
    void keepsTheTelephoneBand(int rate) {
        for (double hertz : new double[] {300, 1_000, 2_500, 3_300}) {
            assertThat(gain(rate, hertz)).as("%.0f Hz", hertz).isBetween(0.9, 1.1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {16_000, 24_000, 48_000})
    void letsNothingFoldBackIntoTheBand(int rate) {
        for (double hertz = 4_700; hertz < rate / 2.0; hertz += 700) {
            assertThat(gain(rate, hertz)).as("%.0f Hz", hertz).isLessThan(0.02);
        }
    }

    @Test
    void makesPayloadsOfThePacketTime() {
        InferenceFormat format = new InferenceFormat(Encoding.LINEAR16, 24_000);
        for (int millis : new int[] {10, 20, 40, 60}) {
            try (VoiceEncoder encoder = VoiceEncoder.ofG711(G711.ALAW, format, millis)) {
                int bytes = 48 * 240;
                int[] packets = new int[1];
                encoder.encode(
                        ByteBuffer.allocate(bytes),
                        0,
                        bytes,
                        (_, _, length) -> {
                            assertThat(length).isEqualTo(8 * millis);
                            packets[0]++;
                        });
                assertThat(packets[0]).isEqualTo(240 / millis);
            }
        }
    }

    @Test
    void passesItsOwnLawThroughUnchanged() {
        InferenceFormat format = new InferenceFormat(Encoding.MULAW, 8_000);
        byte[] audio = new byte[160];
        for (int i = 0; i < audio.length; i++) {
            audio[i] = (byte) i;
        }
        byte[] heard = encode(format, G711.MULAW, audio);
        // Minus zero has another code than zero and sounds the same.
        audio[0x7F] = (byte) 0xFF;
        assertThat(heard).isEqualTo(audio);
    }

    /** Power of the sine after the encoder, at its own frequency or wherever it was folded to. */
    private static double gain(int rate, double hertz) {
        InferenceFormat format = new InferenceFormat(Encoding.LINEAR16, rate);
        short[] sine = TestSignal.sine(rate, hertz, 12_000, rate / 2);
        byte[] audio = new byte[sine.length * 2];
        Pcm.writeS16le(sine, 0, sine.length, audio, 0);
        byte[] heard = encode(format, G711.MULAW, audio);
        double power = 0;
        for (int i = 400; i < heard.length; i++) {
            double sample = G711.MULAW.decode(heard[i]);
            power += sample * sample;
        }
        return Math.sqrt(2 * power / (heard.length - 400)) / 12_000;
    }

    private static byte[] encode(InferenceFormat format, G711 law, byte[] audio) {
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        try (VoiceEncoder encoder = VoiceEncoder.ofG711(law, format, 20)) {
            encoder.encode(
                    ByteBuffer.wrap(audio),
                    0,
                    audio.length,
                    (bytes, offset, length) -> {
                        byte[] payload = new byte[length];
                        bytes.get(offset, payload);
                        heard.writeBytes(payload);
                    });
        }
        return heard.toByteArray();
    }
}
