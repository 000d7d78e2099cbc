package dev.parley.transceiver.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every Opus implementation must do; run for each of them. */
abstract class OpusContract {
    private static final int ROOM = OpusDecoder.MAX_PACKET_BYTES;

    abstract OpusLibrary library();

    @ParameterizedTest
    @ValueSource(ints = {8_000, 16_000, 24_000, 48_000})
    void carriesSpeechAtEachRate(int rate) {
        short[] voice = TestSignal.voice(rate, 2_000);
        short[] heard = decodeAll(rate, encodeAll(rate, voice, OpusSettings.VOICE), voice.length);
        int lag = TestSignal.bestLag(voice, heard, rate / 50);
        double alike = TestSignal.correlation(voice, heard, 0, voice.length - rate / 50, lag);
        // The codec's own delay at VOIP settings is 6.5 ms.
        assertThat(lag * 1000.0 / rate).isBetween(2.0, 12.0);
        assertThat(alike).isGreaterThan(0.95);
        // Signal to noise from correlation: what is not explained is noise.
        double signalToNoise = 10 * Math.log10(alike * alike / (1 - alike * alike));
        assertThat(signalToNoise).isGreaterThan(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 20, 40, 60})
    void encodesEachFrameLength(int millis) {
        ByteBuffer packet = ByteBuffer.allocateDirect(ROOM);
        OpusPacket framing = new OpusPacket();
        try (OpusEncoder encoder = library().newEncoder(16_000)) {
            int samples = 16 * millis;
            int length = encoder.encode(TestSignal.voice(16_000, 100), 0, samples, packet, 0, ROOM);
            assertThat(framing.wrap(packet, 0, length)).isTrue();
            assertThat(framing.durationSamples()).isEqualTo(48 * millis);
        }
    }

    @Test
    void refusesFrameLengthsThatOpusHasNot() {
        ByteBuffer packet = ByteBuffer.allocate(ROOM);
        short[] pcm = new short[48_000];
        try (OpusEncoder encoder = library().newEncoder(48_000)) {
            for (int samples : new int[] {0, 1, 959, 961, 2_881, 5_760, 48_000}) {
                assertThat(encoder.encode(pcm, 0, samples, packet, 0, ROOM))
                        .as("%s samples", samples)
                        .isNegative();
            }
        }
    }

    @Test
    void refusesRatesThatOpusHasNot() {
        assertThatThrownBy(() -> library().newEncoder(44_100)).hasMessageContaining("44100");
        assertThatThrownBy(() -> library().newDecoder(44_100)).hasMessageContaining("44100");
    }

    @Test
    void writesWhereItIsToldAndNowhereElse() {
        ByteBuffer packet = ByteBuffer.allocate(ROOM + 100);
        try (OpusEncoder encoder = library().newEncoder(48_000)) {
            int length = encoder.encode(TestSignal.voice(48_000, 20), 0, 960, packet, 50, ROOM);
            assertThat(length).isPositive();
            for (int i = 0; i < 50; i++) {
                assertThat(packet.get(i)).isZero();
                assertThat(packet.get(50 + length + i)).isZero();
            }
        }
    }

    @Test
    void bitrateDecidesTheSize() {
        short[] voice = TestSignal.voice(48_000, 2_000);
        assertThat(bytes(encodeAll(48_000, voice, new OpusSettings(64_000, 5, false, 0))))
                .isBetween(10_000, 18_000);
        assertThat(bytes(encodeAll(48_000, voice, new OpusSettings(12_000, 5, false, 0))))
                .isBetween(1_500, 4_000);
    }

    @Test
    void dtxShrinksSilence() {
        short[] silence = new short[48_000 * 2];
        try (OpusEncoder encoder = library().newEncoder(48_000)) {
            OpusSettings.VOICE.applyTo(encoder);
            encoder.dtx(true);
            List<byte[]> packets = encodeAll(encoder, silence);
            assertThat(packets.stream().filter(packet -> packet.length <= 2).count())
                    .isGreaterThan(50);
        }
    }

    @Test
    void constantBitrateMakesPacketsOfOneSize() {
        short[] voice = TestSignal.voice(24_000, 1_000);
        OpusSettings constant =
                new OpusSettings(24_000, 5, false, 0, false, true, OpusBandwidth.FULL);
        assertThat(encodeAll(24_000, voice, constant)).allMatch(packet -> packet.length == 60);
    }

    @Test
    void keepsToTheBandwidthThatTheListenerCanUse() {
        short[] voice = TestSignal.voice(48_000, 1_000);
        for (OpusBandwidth most : new OpusBandwidth[] {OpusBandwidth.NARROW, OpusBandwidth.WIDE}) {
            OpusSettings settings = new OpusSettings(40_000, 5, false, 0, false, false, most);
            // RFC 6716 3.1: SILK's configurations are four to a bandwidth, NB, MB, WB.
            assertThat(encodeAll(48_000, voice, settings))
                    .allMatch(packet -> (packet[0] & 0xFF) >> 5 <= most.ordinal());
        }
    }

    @Test
    void encodesFramesOfEveryPacketTime() {
        short[] voice = TestSignal.voice(24_000, 240);
        OpusPacket framing = new OpusPacket();
        ByteBuffer packet = ByteBuffer.allocateDirect(ROOM);
        for (int millis : new int[] {10, 20, 40, 60}) {
            try (OpusEncoder encoder = library().newEncoder(24_000)) {
                OpusSettings.VOICE.applyTo(encoder);
                int length = encoder.encode(voice, 0, 24 * millis, packet, 0, ROOM);
                assertThat(framing.wrap(packet, 0, length)).isTrue();
                assertThat(framing.durationSamples()).isEqualTo(48 * millis);
            }
        }
    }

    @Test
    void inbandFecIsVisibleInThePackets() {
        short[] voice = TestSignal.voice(16_000, 2_000);
        assertThat(withLbrr(encodeAll(16_000, voice, new OpusSettings(32_000, 5, true, 20))))
                .isGreaterThan(50);
        assertThat(withLbrr(encodeAll(16_000, voice, new OpusSettings(32_000, 5, false, 0))))
                .isZero();
    }

    @Test
    void fecRecoversBetterThanConcealment() {
        short[] voice = TestSignal.voice(16_000, 3_000);
        List<byte[]> packets = encodeAll(16_000, voice, new OpusSettings(32_000, 5, true, 20));
        short[] whole = decodeAll(16_000, packets, voice.length);
        assertThat(signalToNoiseOfLost(packets, whole, true)).isGreaterThan(10);
        assertThat(signalToNoiseOfLost(packets, whole, false)).isLessThan(4);
    }

    /** Loses each tenth packet; compares what fills in with what would have been heard, in dB. */
    private double signalToNoiseOfLost(List<byte[]> packets, short[] whole, boolean fec) {
        short[] heard = new short[whole.length];
        double signal = 0;
        double noise = 0;
        try (OpusDecoder decoder = library().newDecoder(16_000)) {
            for (int i = 0; i < packets.size(); i++) {
                int at = i * 320;
                if (i % 10 != 5) {
                    decode(decoder, packets.get(i), heard, at);
                    continue;
                }
                ByteBuffer next = ByteBuffer.wrap(packets.get(i + 1));
                int made =
                        fec
                                ? decoder.recover(next, 0, next.capacity(), 320, heard, at)
                                : decoder.conceal(320, heard, at);
                assertThat(made).isEqualTo(320);
                for (int k = at; k < at + 320; k++) {
                    signal += Math.pow(whole[k], 2);
                    noise += Math.pow(heard[k] - whole[k], 2);
                }
            }
        }
        return 10 * Math.log10(signal / noise);
    }

    @Test
    void mixesStereoPacketsToMono() {
        // CELT fullband 20 ms, stereo flag, one frame of silence: F8 FF FE with s = 1.
        ByteBuffer packet = ByteBuffer.wrap(new byte[] {(byte) 0xFC, (byte) 0xFF, (byte) 0xFE});
        short[] pcm = new short[5_760];
        try (OpusDecoder decoder = library().newDecoder(48_000)) {
            assertThat(decoder.decode(packet, 0, 3, pcm, 0)).isEqualTo(960);
            assertThat(Pcm.levelDbov(pcm, 0, 960)).isLessThan(-80);
        }
    }

    @Test
    void concealmentFadesOut() {
        short[] voice = TestSignal.voice(24_000, 500);
        short[] pcm = new short[24_000];
        try (OpusDecoder decoder = library().newDecoder(24_000)) {
            for (byte[] packet : encodeAll(24_000, voice, OpusSettings.VOICE)) {
                decode(decoder, packet, pcm, 0);
            }
            for (int i = 0; i < 50; i++) {
                assertThat(decoder.conceal(480, pcm, 480 * i)).isEqualTo(480);
            }
            assertThat(Pcm.levelDbov(pcm, 49 * 480, 480)).isLessThan(-50);
        }
    }

    @Test
    void concealsOnlyWhatOpusCan() {
        short[] pcm = new short[48_000];
        try (OpusDecoder decoder = library().newDecoder(48_000)) {
            for (int samples : new int[] {-1, 0, 1, 100, 5_761, 48_000}) {
                assertThat(decoder.conceal(samples, pcm, 0))
                        .as("%s samples", samples)
                        .isEqualTo(OpusError.BAD_ARGUMENT.code());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void survivesGarbage(long seed) {
        Random random = new Random(seed);
        byte[] bytes = new byte[1_600];
        short[] pcm = new short[5_760];
        int decoded = 0;
        try (OpusDecoder decoder = library().newDecoder(48_000)) {
            for (int i = 0; i < 3_000; i++) {
                int length = random.nextInt(random.nextBoolean() ? 20 : bytes.length);
                random.nextBytes(bytes);
                ByteBuffer packet = ByteBuffer.wrap(bytes);
                int made =
                        random.nextInt(5) == 0
                                ? decoder.recover(packet, 0, length, 960, pcm, 0)
                                : decoder.decode(packet, 0, length, pcm, 0);
                assertThat(made).isBetween(-7, 5_760).isNotZero();
                decoded += made > 0 ? 1 : 0;
            }
        }
        assertThat(decoded).isGreaterThan(1_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void survivesDamagedPackets(long seed) {
        Random random = new Random(seed);
        List<byte[]> packets =
                encodeAll(16_000, TestSignal.voice(16_000, 4_000), OpusSettings.VOICE);
        short[] pcm = new short[5_760];
        try (OpusDecoder decoder = library().newDecoder(48_000)) {
            for (int round = 0; round < 5; round++) {
                for (byte[] packet : packets) {
                    byte[] damaged = packet.clone();
                    damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
                    int length = damaged.length - random.nextInt(Math.min(4, damaged.length));
                    int made = decoder.decode(ByteBuffer.wrap(damaged), 0, length, pcm, 0);
                    assertThat(made).isBetween(-7, 5_760).isNotZero();
                }
            }
        }
    }

    @Test
    void refusesWhatIsNoPacket() {
        short[] pcm = new short[5_760];
        try (OpusDecoder decoder = library().newDecoder(48_000)) {
            ByteBuffer bytes = ByteBuffer.allocate(2_000);
            int invalid = OpusError.INVALID_PACKET.code();
            assertThat(decoder.decode(bytes, 0, 0, pcm, 0)).isEqualTo(invalid);
            assertThat(decoder.decode(bytes, 0, 1_501, pcm, 0)).isEqualTo(invalid);
            bytes.put(0, (byte) 0xFF);
            assertThat(decoder.decode(bytes, 0, 2, pcm, 0)).isEqualTo(invalid);
            assertThat(decoder.recover(bytes, 0, 2, 960, pcm, 0)).isEqualTo(invalid);
        }
    }

    @Test
    void resetMakesADecoderLikeNew() {
        List<byte[]> packets = encodeAll(48_000, TestSignal.voice(48_000, 400), OpusSettings.VOICE);
        short[] first = new short[960];
        short[] again = new short[960];
        try (OpusDecoder decoder = library().newDecoder(48_000)) {
            decode(decoder, packets.getFirst(), first, 0);
            for (byte[] packet : packets) {
                decode(decoder, packet, again, 0);
            }
            assertThat(again).isNotEqualTo(first);
            decoder.reset();
            decode(decoder, packets.getFirst(), again, 0);
        }
        assertThat(again).isEqualTo(first);
    }

    @Test
    void closingTwiceIsFine() {
        OpusEncoder encoder = library().newEncoder(48_000);
        encoder.close();
        encoder.close();
        OpusDecoder decoder = library().newDecoder(48_000);
        decoder.close();
        decoder.close();
    }

    List<byte[]> encodeAll(int rate, short[] pcm, OpusSettings settings) {
        try (OpusEncoder encoder = library().newEncoder(rate)) {
            settings.applyTo(encoder);
            return encodeAll(encoder, pcm);
        }
    }

    private static List<byte[]> encodeAll(OpusEncoder encoder, short[] pcm) {
        List<byte[]> packets = new ArrayList<>();
        ByteBuffer packet = ByteBuffer.allocateDirect(ROOM);
        int frame = encoder.sampleRateHz() / 50;
        for (int at = 0; at + frame <= pcm.length; at += frame) {
            int length = encoder.encode(pcm, at, frame, packet, 0, ROOM);
            assertThat(length).isPositive();
            byte[] bytes = new byte[length];
            packet.get(0, bytes);
            packets.add(bytes);
        }
        return packets;
    }

    private short[] decodeAll(int rate, List<byte[]> packets, int samples) {
        short[] pcm = new short[samples];
        try (OpusDecoder decoder = library().newDecoder(rate)) {
            int at = 0;
            for (byte[] packet : packets) {
                at += decode(decoder, packet, pcm, at);
            }
        }
        return pcm;
    }

    private static int decode(OpusDecoder decoder, byte[] packet, short[] pcm, int at) {
        int made = decoder.decode(ByteBuffer.wrap(packet), 0, packet.length, pcm, at);
        assertThat(made).isEqualTo(decoder.sampleRateHz() / 50);
        return made;
    }

    private static int bytes(List<byte[]> packets) {
        return packets.stream().mapToInt(packet -> packet.length).sum();
    }

    private static long withLbrr(List<byte[]> packets) {
        OpusPacket framing = new OpusPacket();
        return packets.stream()
                .filter(packet -> framing.wrap(ByteBuffer.wrap(packet), 0, packet.length))
                .filter(_ -> framing.hasLbrr())
                .count();
    }
}
