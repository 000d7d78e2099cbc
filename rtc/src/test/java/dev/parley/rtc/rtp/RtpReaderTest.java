package dev.parley.rtc.rtp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RtpReaderTest {
    private static final int OFFSET = 7;
    private static final String FIXED = "6f 1234 89abcdef deadbeef";

    private final RtpReader reader = new RtpReader();

    @Test
    void readsTheFixedHeader() {
        assertThat(wrap("80 ef 1234 89abcdef deadbeef 010203")).isTrue();

        assertThat(reader.marker()).isTrue();
        assertThat(reader.payloadType()).isEqualTo(111);
        assertThat(reader.sequenceNumber()).isEqualTo(0x1234);
        assertThat(reader.timestamp()).isEqualTo(0x89abcdef);
        assertThat(reader.ssrc()).isEqualTo(0xdeadbeef);
        assertThat(reader.csrcCount()).isZero();
        assertThat(reader.payloadOffset()).isEqualTo(OFFSET + 12);
        assertThat(reader.payloadLength()).isEqualTo(3);
        assertThat(reader.audioLevel(1)).isEqualTo(RtpReader.ABSENT);
    }

    @Test
    void readsContributingSources() {
        assertThat(wrap("82" + FIXED + "11111111 22222222 0102")).isTrue();

        assertThat(reader.csrcCount()).isEqualTo(2);
        assertThat(reader.csrc(1)).isEqualTo(0x22222222);
        assertThat(reader.payloadLength()).isEqualTo(2);
    }

    @Test
    void leavesPaddingOut() {
        assertThat(wrap("a0" + FIXED + "0102 000003")).isTrue();
        assertThat(reader.payloadLength()).isEqualTo(2);

        assertThat(wrap("a0" + FIXED + "000003")).isTrue();
        assertThat(reader.payloadLength()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "80" + "6f 1234 89abcdef deadbe",
                "40" + FIXED, // version 1
                "81" + FIXED, // one CSRC missing
                "90" + FIXED + "bede00", // half an extension header
                "90" + FIXED + "bede0002 11111111", // extension too long
                "a0" + FIXED, // padding announced, none there
                "a0" + FIXED + "0100", // padding of zero bytes
                "a0" + FIXED + "0104", // more padding than there are bytes
                "b0" + FIXED + "bede0000", // padding after the extension, none there
            })
    void refusesWhatIsNotWhole(String hex) {
        assertThat(wrap(hex)).isFalse();
    }

    @Test
    void findsOneByteElements() {
        // id 3 with two bytes, padding, id 1 (RFC 6464) with one byte
        assertThat(wrap("90" + FIXED + "bede0002 31aabb 00 10 9e 0000" + "01")).isTrue();

        assertThat(reader.seekElement(3)).isTrue();
        assertThat(reader.elementOffset()).isEqualTo(OFFSET + 17);
        assertThat(reader.elementLength()).isEqualTo(2);
        assertThat(reader.seekElement(2)).isFalse();
        int level = reader.audioLevel(1);
        assertThat(level).isEqualTo(0x9e);
        assertThat(RtpReader.levelDbov(level)).isEqualTo(-30);
        assertThat(RtpReader.isVoice(level)).isTrue();
        assertThat(reader.payloadLength()).isEqualTo(1);
    }

    @Test
    void findsTwoByteElements() {
        // id 20 with no byte, padding, id 1 with one byte; application bits set
        assertThat(wrap("90" + FIXED + "1003 0002 1400 00 01017f 0000")).isTrue();

        assertThat(reader.seekElement(20)).isTrue();
        assertThat(reader.elementLength()).isZero();
        assertThat(reader.audioLevel(20)).isEqualTo(RtpReader.ABSENT);
        assertThat(RtpReader.levelDbov(reader.audioLevel(1))).isEqualTo(-127);
        assertThat(RtpReader.isVoice(reader.audioLevel(1))).isFalse();
    }

    @Test
    void stopsAtTheReservedIdAndAtPaddingWithLength() {
        assertThat(wrap("90" + FIXED + "bede0001 f0 00 10 9e")).isTrue();
        assertThat(reader.audioLevel(1)).isEqualTo(RtpReader.ABSENT);

        assertThat(wrap("90" + FIXED + "bede0001 01 00 10 9e")).isTrue();
        assertThat(reader.audioLevel(1)).isEqualTo(RtpReader.ABSENT);
    }

    @Test
    void ignoresElementsThatLeaveTheExtension() {
        assertThat(wrap("90" + FIXED + "bede0001 000000 10" + "9e")).isTrue();
        assertThat(reader.audioLevel(1)).isEqualTo(RtpReader.ABSENT);

        assertThat(wrap("90" + FIXED + "10000001 00000001" + "019e")).isTrue();
        assertThat(reader.audioLevel(1)).isEqualTo(RtpReader.ABSENT);
    }

    @Test
    void readsWhatTheWriterWrites() {
        ByteBuffer buffer = ByteBuffer.allocate(64);
        RtpWriter.writeHeader(buffer, OFFSET, true, 127, 0xFFFF, -1, 42);

        assertThat(reader.wrap(buffer, OFFSET, RtpWriter.HEADER_LENGTH)).isTrue();
        assertThat(reader.marker()).isTrue();
        assertThat(reader.payloadType()).isEqualTo(127);
        assertThat(reader.sequenceNumber()).isEqualTo(0xFFFF);
        assertThat(reader.timestamp()).isEqualTo(-1);
        assertThat(reader.ssrc()).isEqualTo(42);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void neverThrowsNorLeavesThePacketOnGarbage(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 100_000; round++) {
            byte[] bytes = new byte[random.nextInt(60)];
            random.nextBytes(bytes);
            if (bytes.length > 0 && random.nextInt(8) > 0) {
                bytes[0] = (byte) (0x80 | (bytes[0] & 0x33));
            }
            if (bytes.length > 14 && random.nextBoolean()) {
                bytes[12] = (byte) 0xBE;
                bytes[13] = (byte) 0xDE;
            }
            // Nothing lies behind the packet: a read outside of it throws.
            if (reader.wrap(ByteBuffer.wrap(bytes), 0, bytes.length)) {
                assertThat(reader.payloadOffset() + reader.payloadLength())
                        .isBetween(12, bytes.length);
                for (int id = 0; id < 16; id++) {
                    reader.audioLevel(id);
                }
                for (int i = 0; i < reader.csrcCount(); i++) {
                    reader.csrc(i);
                }
            }
        }
    }

    private boolean wrap(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        ByteBuffer buffer = ByteBuffer.allocate(OFFSET + bytes.length);
        buffer.put(OFFSET, bytes);
        return reader.wrap(buffer, OFFSET, bytes.length);
    }
}
