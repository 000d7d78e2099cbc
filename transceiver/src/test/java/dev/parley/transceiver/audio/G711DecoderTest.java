package dev.parley.transceiver.audio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class G711DecoderTest {
    private static final int PACKET = 160;
    private static final double TONE_HZ = 440;

    private static ByteBuffer packet(G711 law, int number, double hertz) {
        ByteBuffer packet = ByteBuffer.allocate(PACKET);
        for (int i = 0; i < PACKET; i++) {
            double phase = 2 * Math.PI * hertz * (number * PACKET + i) / 8_000;
            packet.put(i, law.encode((short) (10_000 * Math.sin(phase))));
        }
        return packet;
    }

    /** Power at a frequency, as a share of all power. */
    private static double share(short[] pcm, int from, int to, double hertz, int rateHz) {
        double sine = 0;
        double cosine = 0;
        double power = 0;
        for (int i = from; i < to; i++) {
            double phase = 2 * Math.PI * hertz * i / rateHz;
            sine += pcm[i] * Math.sin(phase);
            cosine += pcm[i] * Math.cos(phase);
            power += (double) pcm[i] * pcm[i];
        }
        return 2 * (sine * sine + cosine * cosine) / ((to - from) * power);
    }

    @ParameterizedTest
    @ValueSource(ints = {8_000, 16_000, 24_000, 48_000})
    void raisesAToneToTheRateThatIsAskedFor(int rateHz) {
        G711Decoder decoder = new G711Decoder(G711.ALAW, rateHz);
        int made = PACKET * rateHz / 8_000;
        short[] pcm = new short[20 * made];
        for (int i = 0; i < 20; i++) {
            ByteBuffer packet = packet(G711.ALAW, i, TONE_HZ);
            assertThat(decoder.decode(packet, 0, PACKET, pcm, i * made)).isEqualTo(made);
        }
        assertThat(share(pcm, 2 * made, pcm.length, TONE_HZ, rateHz)).isGreaterThan(0.999);
    }

    @Test
    void leavesNoImageOfAHighTone() {
        G711Decoder decoder = new G711Decoder(G711.MULAW, 16_000);
        short[] pcm = new short[20 * 2 * PACKET];
        for (int i = 0; i < 20; i++) {
            decoder.decode(packet(G711.MULAW, i, 3_000), 0, PACKET, pcm, i * 2 * PACKET);
        }
        // The image of 3 kHz at 8 kHz is at 5 kHz.
        assertThat(share(pcm, 640, pcm.length, 5_000, 16_000)).isLessThan(1e-4);
    }

    @Test
    void goesOnWithAVoiceThatIsLostAndFadesIt() {
        G711Decoder decoder = new G711Decoder(G711.MULAW, 8_000);
        short[] pcm = new short[12 * PACKET];
        for (int i = 0; i < 5; i++) {
            decoder.decode(packet(G711.MULAW, i, 100), 0, PACKET, pcm, i * PACKET);
        }
        for (int i = 5; i < 9; i++) {
            assertThat(decoder.conceal(PACKET, pcm, i * PACKET)).isEqualTo(PACKET);
        }
        // A period of 100 Hz goes on in phase for as long as it is not faded.
        assertThat(share(pcm, 4 * PACKET, 6 * PACKET, 100, 8_000)).isGreaterThan(0.95);
        assertThat(level(pcm, 7)).isLessThan(level(pcm, 5) - 5);
        assertThat(level(pcm, 8)).isEqualTo(Pcm.SILENCE_DBOV);
        decoder.decode(packet(G711.MULAW, 9, 100), 0, PACKET, pcm, 9 * PACKET);
        assertThat(level(pcm, 9)).isGreaterThan(-20);
    }

    private static int level(short[] pcm, int packet) {
        return Pcm.levelDbov(pcm, packet * PACKET, PACKET);
    }

    @Test
    void concealsBeforeThereWasAnything() {
        G711Decoder decoder = new G711Decoder(G711.MULAW, 24_000);
        short[] pcm = new short[960];
        Arrays.fill(pcm, (short) 7);
        assertThat(decoder.conceal(480, pcm, 0)).isEqualTo(480);
        assertThat(Pcm.levelDbov(pcm, 0, 480)).isEqualTo(Pcm.SILENCE_DBOV);
    }

    @Test
    void refusesWhatDoesNotFit() {
        G711Decoder decoder = new G711Decoder(G711.MULAW, 8_000);
        short[] pcm = new short[decoder.maxSamples()];
        assertThat(decoder.decode(ByteBuffer.allocate(1), 0, 0, pcm, 0)).isNegative();
        assertThat(decoder.decode(ByteBuffer.allocate(961), 0, 961, pcm, 0)).isNegative();
        assertThat(decoder.conceal(0, pcm, 0)).isNegative();
        assertThat(decoder.conceal(961, pcm, 0)).isNegative();
    }
}
