package dev.parley.rtc.rtp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RtcpTest {
    private static final int OFFSET = 5;
    private static final byte[] CNAME = "parley".getBytes(US_ASCII);

    private final ByteBuffer buffer = ByteBuffer.allocate(512);
    private final RtcpReader reader = new RtcpReader();
    private final RtcpWriter writer = new RtcpWriter();

    @Test
    void asksForPacketsAgainAsRfc4585Lays() {
        writer.begin(buffer, OFFSET).nack(1, 0xCAFE_BABE, 0xFFFE, 0b101);

        byte[] packet = new byte[writer.length()];
        buffer.get(OFFSET, packet);
        assertThat(HexFormat.of().formatHex(packet)).isEqualTo("81cd000300000001cafebabefffe0005");
        assertThat(reader.wrap(buffer, OFFSET, writer.length())).isTrue();
    }

    @Test
    void readsTheSenderReportThatTheWriterWrites() {
        var statistics = new ReceptionStatistics(48_000);
        for (int i : new int[] {65_535, 0, 2, 3}) {
            statistics.receive(i, i * 960, i * 20_000_000L);
        }
        statistics.receiveSenderReport(0x1111_2222_3333_4444L, 0);
        statistics.endInterval();
        writer.begin(buffer, OFFSET)
                .senderReport(1, 0x0102_0304_0506_0708L, -2, (1L << 32) + 3, 4_000_000_000L)
                .report(0xCAFE_BABE, statistics, 1_000_000_000)
                .sourceDescription(1, CNAME)
                .goodbye(1);

        assertThat(reader.wrap(buffer, OFFSET, writer.length())).isTrue();
        assertThat(reader.next()).isTrue();
        assertThat(reader.type()).isEqualTo(RtcpType.SENDER_REPORT);
        assertThat(reader.senderSsrc()).isEqualTo(1);
        assertThat(reader.ntpTimestamp()).isEqualTo(0x0102_0304_0506_0708L);
        assertThat(reader.rtpTimestamp()).isEqualTo(-2);
        assertThat(reader.packetCount()).isEqualTo(3);
        assertThat(reader.octetCount()).isEqualTo(4_000_000_000L);
        assertThat(reader.reportCount()).isEqualTo(1);
        assertThat(reader.reportSsrc(0)).isEqualTo(0xCAFE_BABE);
        assertThat(reader.fractionLost(0)).isEqualTo(256 / 5);
        assertThat(reader.cumulativeLost(0)).isEqualTo(1);
        assertThat(reader.extendedHighestSequence(0)).isEqualTo(0x0001_0003);
        assertThat(reader.jitter(0)).isEqualTo(statistics.jitter());
        assertThat(reader.lastSenderReport(0)).isEqualTo(0x2222_3333);
        assertThat(reader.delaySinceLastSenderReport(0)).isEqualTo(0x0001_0000);

        assertThat(reader.next()).isTrue();
        assertThat(reader.type()).isEqualTo(RtcpType.SOURCE_DESCRIPTION);
        assertThat(reader.next()).isTrue();
        assertThat(reader.type()).isEqualTo(RtcpType.GOODBYE);
        assertThat(reader.goodbyeCount()).isEqualTo(1);
        assertThat(reader.goodbyeSsrc(0)).isEqualTo(1);
        assertThat(reader.next()).isFalse();
    }

    // Layouts of RFC 3550 6.4.2, 6.5 and 6.6
    @Test
    void writesReceiverReportDescriptionAndGoodbye() {
        writer.begin(buffer, OFFSET)
                .receiverReport(0x0a0b0c0d)
                .sourceDescription(0x0a0b0c0d, CNAME)
                .goodbye(0x0a0b0c0d);

        assertThat(HexFormat.of().formatHex(buffer.array(), OFFSET, OFFSET + writer.length()))
                .isEqualTo(
                        "80c900010a0b0c0d"
                                + "81ca00040a0b0c0d01067061726c657900000000"
                                + "81cb00010a0b0c0d");
    }

    @Test
    void endsEveryDescriptionWithANull() {
        for (int length = 0; length < 12; length++) {
            writer.begin(buffer, 0).sourceDescription(1, new byte[length]);
            assertThat(writer.length() % 4).isZero();
            assertThat(writer.length()).isGreaterThan(10 + length);
        }
    }

    @Test
    void reportsNegativeLossInTwentyFourBits() {
        var statistics = new ReceptionStatistics(48_000);
        statistics.receive(1, 0, 0);
        statistics.receive(1, 0, 0);
        statistics.receive(1, 0, 0);
        writer.begin(buffer, OFFSET).receiverReport(1).report(2, statistics, 0);

        assertThat(reader.wrap(buffer, OFFSET, writer.length())).isTrue();
        assertThat(reader.next()).isTrue();
        assertThat(reader.cumulativeLost(0)).isEqualTo(-2);
    }

    @Test
    void skipsWhatItDoesNotKnow() {
        // Payload feedback, then a receiver report, then padding in the last packet (APP)
        assertThat(
                        wrap(
                                "8fce0003 00000001 00000002 00000003"
                                        + "80c90001 00000009"
                                        + "a0cc0003 00000001 00000000 00000004"))
                .isTrue();
        assertThat(reader.next()).isTrue();
        assertThat(reader.type()).isEqualTo(RtcpType.OTHER);
        assertThat(reader.next()).isTrue();
        assertThat(reader.type()).isEqualTo(RtcpType.RECEIVER_REPORT);
        assertThat(reader.senderSsrc()).isEqualTo(9);
        assertThat(reader.next()).isTrue();
        assertThat(reader.next()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "80c900", // half a header
                "40c90001 00000001", // version 1
                "80c90002 00000001", // longer than the datagram
                "80c90001 00000001 ff", // a byte too many
                "81c90001 00000001", // a block announced, none there
                "80c80001 00000001", // too short for a sender report
                "82cb0001 00000001", // two sources announced, one there
                "80c90001 00000001 81cb0002 00000001", // the second one does not fit
                "a0c90002 00000001 00000004 80c90001 00000001", // padding not in the last packet
                "a0c90001 00000000", // padding of zero bytes
                "a0c90001 00000004", // padding where the SSRC should be
            })
    void refusesWhatIsNotWhole(String hex) {
        assertThat(wrap(hex)).isFalse();
        assertThat(reader.next()).isFalse();
    }

    @Test
    void refusesBlocksOutsideOfReports() {
        writer.begin(buffer, OFFSET).goodbye(1);
        var statistics = new ReceptionStatistics(48_000);

        assertThatThrownBy(() -> writer.report(2, statistics, 0))
                .isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void neverThrowsOnGarbage(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 100_000; round++) {
            byte[] bytes = new byte[random.nextInt(20) * 4];
            random.nextBytes(bytes);
            for (int at = 0; at < bytes.length && random.nextInt(8) > 0; ) {
                int words = random.nextInt(8);
                bytes[at] = (byte) (0x80 | (bytes[at] & 0x23));
                bytes[at + 1] = (byte) (200 + random.nextInt(5));
                bytes[at + 2] = 0;
                bytes[at + 3] = (byte) words;
                at += 4 + words * 4;
            }
            // Nothing lies behind the compound packet: a read outside of it throws.
            reader.wrap(ByteBuffer.wrap(bytes), 0, bytes.length);
            while (reader.next()) {
                readEverything();
            }
        }
    }

    private void readEverything() {
        switch (reader.type()) {
            case SENDER_REPORT, RECEIVER_REPORT -> {
                reader.senderSsrc();
                if (reader.type() == RtcpType.SENDER_REPORT) {
                    reader.octetCount();
                }
                for (int i = 0; i < reader.reportCount(); i++) {
                    reader.delaySinceLastSenderReport(i);
                }
            }
            case GOODBYE -> {
                for (int i = 0; i < reader.goodbyeCount(); i++) {
                    reader.goodbyeSsrc(i);
                }
            }
            case EXTENDED_REPORT -> reader.receiverReferenceTime();
            case SOURCE_DESCRIPTION, OTHER -> {}
            case TRANSPORT_FEEDBACK -> {
                for (int i = 0; reader.isNack() && i < reader.nackCount(); i++) {
                    reader.nackSequence(i);
                    reader.nackFollowing(i);
                }
            }
        }
    }

    private boolean wrap(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        buffer.put(OFFSET, bytes);
        return reader.wrap(buffer, OFFSET, bytes.length);
    }
}
