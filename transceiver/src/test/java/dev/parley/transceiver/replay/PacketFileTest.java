package dev.parley.transceiver.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.audio.OpusPacket;
import dev.parley.transceiver.recording.PacketFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of packets, written and read again. */
class PacketFileTest {
    private static final byte[] SILK_20 = {(byte) (9 << 3), 1, 2, 3};
    private static final byte[] CELT_20 = {(byte) 0xF8, 4, 5};

    @TempDir private Path folder;

    private final OpusPacket opus = new OpusPacket();

    private int samples(byte[] packet) {
        assertThat(opus.wrap(ByteBuffer.wrap(packet), 0, packet.length)).isTrue();
        return opus.durationSamples();
    }

    private static List<byte[]> packets(Path file) throws Exception {
        return OggFile.packets(file);
    }

    @Test
    void keepsOpusPacketsAsTheyAre() throws Exception {
        Path file = folder.resolve("a.opus");
        byte[] long300 = new byte[300];
        long300[0] = (byte) 0xF8;
        byte[] long255 = new byte[255];
        long255[0] = (byte) 0xF8;
        try (PacketFile to = PacketFile.create(file, ClientCodec.OPUS)) {
            assertThat(to.add(CELT_20, 0, 960)).isZero();
            assertThat(to.add(long300, 960, 960)).isEqualTo(1);
            assertThat(to.add(long255, 1_920, 960)).isEqualTo(2);
        }
        assertThat(packets(file)).containsExactly(CELT_20, long300, long255);
    }

    @Test
    @DisplayName("RFC 7845 4.1: empty frames of the coder in use stand for what was not sent")
    void fillsGaps() throws Exception {
        Path file = folder.resolve("b.opus");
        try (PacketFile to = PacketFile.create(file, ClientCodec.OPUS)) {
            to.add(SILK_20, 0, 960);
            // 1 s and 10 ms later.
            assertThat(to.add(SILK_20, 960 + 48_480, 960)).isEqualTo(11);
        }
        List<byte[]> read = packets(file);
        assertThat(read.stream().mapToInt(this::samples).sum()).isEqualTo(2 * 960 + 48_480);
        assertThat(read.subList(1, 9))
                .allSatisfy(
                        packet -> {
                            assertThat(packet).hasSize(2);
                            assertThat(samples(packet)).isEqualTo(5_760);
                            assertThat(packet[0] & 0xF8).isEqualTo(SILK_20[0] & 0xF8);
                        });
        assertThat(read.getLast()).isEqualTo(SILK_20);
    }

    @Test
    @DisplayName("RFC 3533 6: pages have the right checksum, number and position")
    void writesPages() throws Exception {
        Path file = folder.resolve("c.opus");
        try (PacketFile to = PacketFile.create(file, ClientCodec.OPUS)) {
            for (int i = 0; i < 120; i++) {
                to.add(CELT_20, i * 960L, 960);
            }
        }
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        int number = 0;
        long granule = 0;
        int flags = 0;
        while (at < bytes.limit()) {
            int segments = bytes.get(at + 26) & 0xFF;
            int length = 27 + segments;
            for (int i = 0; i < segments; i++) {
                length += bytes.get(at + 27 + i) & 0xFF;
            }
            byte[] page = Arrays.copyOfRange(bytes.array(), at, at + length);
            int crc = bytes.getInt(at + 22);
            Arrays.fill(page, 22, 26, (byte) 0);
            assertThat(crc).isEqualTo(slowCrc(page));
            assertThat(bytes.getInt(at + 18)).isEqualTo(number++);
            assertThat(bytes.getLong(at + 6)).isGreaterThanOrEqualTo(granule);
            granule = bytes.getLong(at + 6);
            flags = bytes.get(at + 5);
            at += length;
        }
        // Two headers, and a page for each second begun.
        assertThat(number).isEqualTo(5);
        assertThat(granule).isEqualTo(120 * 960);
        assertThat(flags).isEqualTo(4);
    }

    private static int slowCrc(byte[] page) {
        int crc = 0;
        for (byte each : page) {
            crc ^= each << 24;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc << 1 ^ (crc < 0 ? 0x04C1_1DB7 : 0);
            }
        }
        return crc;
    }

    @Test
    void keepsG711AsWav() throws Exception {
        Path file = folder.resolve("d.wav");
        byte[] speech = new byte[160];
        Arrays.fill(speech, (byte) 0x55);
        try (PacketFile to = PacketFile.create(file, ClientCodec.PCMA)) {
            assertThat(to.add(speech, 0, 960)).isZero();
            assertThat(to.add(speech, 1_920, 960)).isEqualTo(320);
        }
        WavFile read = WavFile.read(file);
        assertThat(read.codec()).isEqualTo(ClientCodec.PCMA);
        assertThat(read.audio()).hasSize(480);
        assertThat(read.audio()[200]).isEqualTo((byte) 0xD5);
        assertThat(read.packets()).hasSize(3);
    }

    @Test
    void readsWhatAKilledProcessHasLeft() throws Exception {
        Path whole = folder.resolve("whole.opus");
        try (PacketFile to = PacketFile.create(whole, ClientCodec.OPUS)) {
            for (int i = 0; i < 120; i++) {
                to.add(CELT_20, i * 960L, 960);
            }
        }
        byte[] bytes = Files.readAllBytes(whole);
        Path cut = folder.resolve("cut.opus");
        Files.write(cut, Arrays.copyOf(bytes, bytes.length - 7));
        assertThat(packets(cut)).hasSizeBetween(100, 119);
    }

    @Test
    void saysWhatIsWrongWithAFile() throws IOException {
        Path file = folder.resolve("e.opus");
        Files.writeString(file, "this is no Ogg file, whatever it is called");
        assertThat(catchThrowable(() -> RecordingReader.read(file)))
                .hasMessageEndingWith("e.opus is no Ogg file, or broken at byte 0");
        assertThat(catchThrowable(() -> RecordingReader.read(folder.resolve("f.mp3"))))
                .hasMessageContaining("is none of .jsonl (a recording), .wav, .opus and .ogg");
        assertThat(catchThrowable(() -> RecordingReader.read(folder.resolve("g.wav"))))
                .hasMessageEndingWith("g.wav is not there");
    }
}
