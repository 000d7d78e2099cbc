package dev.parley.transceiver.audio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.transceiver.audio.OpusPacket.Mode;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OpusPacketRfc6716Test {
    private final OpusPacket packet = new OpusPacket();

    @ParameterizedTest
    @DisplayName("RFC 6716 3.1 table 2: mode and frame size of each configuration")
    @CsvSource({
        "0, SILK, 480", "1, SILK, 960", "2, SILK, 1920", "3, SILK, 2880",
        "4, SILK, 480", "5, SILK, 960", "6, SILK, 1920", "7, SILK, 2880",
        "8, SILK, 480", "9, SILK, 960", "10, SILK, 1920", "11, SILK, 2880",
        "12, HYBRID, 480", "13, HYBRID, 960", "14, HYBRID, 480", "15, HYBRID, 960",
        "16, CELT, 120", "17, CELT, 240", "18, CELT, 480", "19, CELT, 960",
        "20, CELT, 120", "21, CELT, 240", "22, CELT, 480", "23, CELT, 960",
        "24, CELT, 120", "25, CELT, 240", "26, CELT, 480", "27, CELT, 960",
        "28, CELT, 120", "29, CELT, 240", "30, CELT, 480", "31, CELT, 960",
    })
    void readsConfiguration(int config, Mode mode, int samples) {
        for (int stereo = 0; stereo <= 1; stereo++) {
            byte[] bytes = {(byte) ((config << 3) | (stereo << 2)), 0x11, 0x22};
            assertThat(packet.wrap(ByteBuffer.wrap(bytes), 0, 3)).isTrue();
            assertThat(packet.mode()).isEqualTo(mode);
            assertThat(packet.frameSamples()).isEqualTo(samples);
            assertThat(packet.durationSamples()).isEqualTo(samples);
            assertThat(packet.frameCount()).isEqualTo(1);
            assertThat(packet.stereo()).isEqualTo(stereo == 1);
        }
    }

    @ParameterizedTest
    @DisplayName("RFC 6716 3.2: well-formed packets and their frame counts")
    @CsvSource({
        "48, 1", // R1: the TOC alone is a packet (DTX)
        "F8 FF FE, 1", // 20 ms of silence
        "49 AA BB, 2", // code 1
        "49, 2", // code 1, both empty
        "4A 01 AA BB CC, 2", // code 2: 1 and 2 bytes
        "4A 00, 2", // code 2, both empty
        "4B 01 AA, 1", // code 3, CBR, one frame
        "4B 03 AA BB CC, 3", // code 3, CBR
        "4B 06, 6", // code 3, six empty frames of 20 ms: 120 ms
        "4B 83 01 02 AA BB BB CC, 3", // code 3, VBR: 1, 2 and 1 bytes
        "4B 41 02 AA 00 00, 1", // code 3 with 2 bytes of padding
        "59 AA BB, 2", // code 1, two of 60 ms: 120 ms
        "83 30, 48", // 48 frames of 2.5 ms: 120 ms
    })
    void takesWellFormedPackets(String hex, int frames) {
        assertThat(wrap(hex)).isTrue();
        assertThat(packet.frameCount()).isEqualTo(frames);
    }

    @ParameterizedTest
    @DisplayName("RFC 6716 3.4: each rule broken")
    @ValueSource(
            strings = {
                "", // R1
                "49 AA", // R3: one byte cannot be two frames of one size
                "4A", // R4: no size
                "4A FC", // R4: half a size
                "4A 02 AA", // R4: size beyond the end
                "4B", // R6/R7: no count
                "4B 00", // R5: no frames
                "4B 07", // R5: 140 ms
                "83 31", // R5: 122.5 ms
                "4B 02 AA", // R6: one byte cannot be two frames
                "4B 82", // R7: no size
                "4B 82 05 AA", // R7: size beyond the end
                "4B 41", // padding length missing
                "4B 41 05 AA", // padding beyond the end
                "4B 41 FF", // padding length does not end
            })
    void refusesMalformedPackets(String hex) {
        assertThat(wrap(hex)).as(hex).isFalse();
    }

    @Test
    @DisplayName("RFC 6716 3.4 R2: no frame longer than 1,275 bytes, in any code")
    void refusesTooLongFrames() {
        assertThat(longest(0x48, 1 + 1_275)).isTrue();
        assertThat(longest(0x48, 1 + 1_276)).isFalse();
        assertThat(longest(0x49, 1 + 2 * 1_275)).isTrue();
        assertThat(longest(0x49, 1 + 2 * 1_276)).isFalse();
        // Code 2: the first frame is empty, the second takes the rest.
        assertThat(longest(0x4A, 2 + 1_275)).isTrue();
        assertThat(longest(0x4A, 2 + 1_276)).isFalse();
    }

    private boolean longest(int toc, int length) {
        ByteBuffer bytes = ByteBuffer.allocate(3_000);
        bytes.put(0, (byte) toc);
        return packet.wrap(bytes, 0, length);
    }

    @Test
    @DisplayName("RFC 6716 3.2.1: a size of two bytes is 4 * second + first")
    void readsLongSizes() {
        ByteBuffer bytes = ByteBuffer.allocate(2_000);
        bytes.put(0, (byte) 0x4A).put(1, (byte) 0xFF).put(2, (byte) 0xFF);
        // First frame: 4 * 255 + 255 = 1,275 bytes.
        assertThat(packet.wrap(bytes, 0, 3 + 1_275)).isTrue();
        assertThat(packet.wrap(bytes, 0, 3 + 1_274)).isFalse();
    }

    @Test
    @DisplayName("RFC 6716 3.2.5: padding of 255 is 254 bytes and one more length byte")
    void readsLongPadding() {
        ByteBuffer bytes = ByteBuffer.allocate(400);
        bytes.put(0, (byte) 0x4B).put(1, (byte) 0x41).put(2, (byte) 0xFF).put(3, (byte) 3);
        assertThat(packet.wrap(bytes, 0, 4 + 10 + 257)).isTrue();
        assertThat(packet.wrap(bytes, 0, 4 + 256)).isFalse();
    }

    @Test
    @DisplayName("RFC 6716 4.2.3: VAD and LBRR bits of SILK's first frame")
    void readsVoiceAndLbrrBits() {
        assertThat(wrap("48 80 11")).isTrue();
        assertThat(packet.hasVoice()).isTrue();
        assertThat(packet.hasLbrr()).isFalse();
        wrap("48 40 11");
        assertThat(packet.hasVoice()).isFalse();
        assertThat(packet.hasLbrr()).isTrue();
        // 60 ms: three VAD bits, then LBRR.
        wrap("58 20 11");
        assertThat(packet.hasVoice()).isTrue();
        assertThat(packet.hasLbrr()).isFalse();
        wrap("58 10 11");
        assertThat(packet.hasVoice()).isFalse();
        assertThat(packet.hasLbrr()).isTrue();
        // Stereo: the side channel's bits follow.
        wrap("4C 10 11");
        assertThat(packet.hasLbrr()).isTrue();
        // DTX.
        wrap("48");
        assertThat(packet.empty()).isTrue();
        assertThat(packet.hasVoice()).isFalse();
        assertThat(packet.hasLbrr()).isFalse();
        // CELT has neither.
        wrap("F8 FF FE");
        assertThat(packet.hasVoice()).isTrue();
        assertThat(packet.hasLbrr()).isFalse();
    }

    @Test
    void readsAtAnOffsetAndNoFurtherThanTheLength() {
        byte[] bytes = HexFormat.of().parseHex("ffffff4aff");
        assertThat(packet.wrap(ByteBuffer.wrap(bytes), 3, 1)).isFalse();
        assertThat(packet.wrap(ByteBuffer.wrap(bytes), 3, 2)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void neverThrowsNorLeavesThePacket(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = new byte[random.nextInt(12)];
            random.nextBytes(bytes);
            // A buffer as long as the packet: reading beyond throws.
            if (packet.wrap(ByteBuffer.wrap(bytes), 0, bytes.length)) {
                assertThat(packet.durationSamples()).isBetween(120, 5_760);
                assertThat(packet.frameCount()).isBetween(1, 48);
            }
        }
    }

    private boolean wrap(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        return packet.wrap(ByteBuffer.wrap(bytes), 0, bytes.length);
    }
}
