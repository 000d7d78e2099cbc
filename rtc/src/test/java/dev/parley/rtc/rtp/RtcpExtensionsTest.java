package dev.parley.rtc.rtp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Feedback (RFC 4585) and extended reports (RFC 3611). */
class RtcpExtensionsTest {
    private final RtcpReader reader = new RtcpReader();

    private boolean read(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        return reader.wrap(ByteBuffer.wrap(bytes), 0, bytes.length) && reader.next();
    }

    @Test
    @DisplayName("RFC 4585 6.2.1: a NACK names a packet and a bitmask of those behind it")
    void readsNacks() {
        assertThat(read("81cd0004 00000001 00000002 ffff8001 00100000")).isTrue();
        assertThat(reader.type()).isEqualTo(RtcpType.TRANSPORT_FEEDBACK);
        assertThat(reader.isNack()).isTrue();
        assertThat(reader.senderSsrc()).isEqualTo(1);
        assertThat(reader.mediaSsrc()).isEqualTo(2);
        assertThat(reader.nackCount()).isEqualTo(2);
        assertThat(reader.nackSequence(0)).isEqualTo(0xFFFF);
        assertThat(reader.nackFollowing(0)).isEqualTo(0x8001);
        assertThat(reader.nackSequence(1)).isEqualTo(0x10);
        assertThat(reader.nackFollowing(1)).isZero();
    }

    @Test
    void takesOtherFeedbackForNoNack() {
        assertThat(read("8fcd0003 00000001 00000002 00000000")).isTrue();
        assertThat(reader.isNack()).isFalse();
    }

    @Test
    void countsNoPaddingAsEntriesOfANack() {
        assertThat(read("a1cd0004 00000001 00000002 00100000 00000004")).isTrue();
        assertThat(reader.nackCount()).isEqualTo(1);
    }

    @Test
    void refusesFeedbackWithoutItsSources() {
        assertThat(read("81cd0001 00000001")).isFalse();
    }

    @Test
    @DisplayName("RFC 3611 4.4: the receiver reference time, among other blocks")
    void findsTheReferenceTime() {
        assertThat(
                        read(
                                "80cf0007 00000001 07000002 11111111 22222222"
                                        + " 04000002 01020304 05060708"))
                .isTrue();
        assertThat(reader.type()).isEqualTo(RtcpType.EXTENDED_REPORT);
        assertThat(reader.receiverReferenceTime()).isEqualTo(0x03040506);
    }

    @Test
    void passesOverBlocksThatDoNotFit() {
        assertThat(read("80cf0002 00000001 04000002")).isTrue();
        assertThat(reader.receiverReferenceTime()).isZero();
        assertThat(read("80cf0003 00000001 04000001 01020304")).isTrue();
        assertThat(reader.receiverReferenceTime()).isZero();
        assertThat(read("80cf0001 00000001")).isTrue();
        assertThat(reader.receiverReferenceTime()).isZero();
    }

    @Test
    @DisplayName("RFC 3611 4.5: the delay since a receiver report")
    void writesTheDelaySinceAReceiverReport() {
        ByteBuffer buffer = ByteBuffer.allocate(64);
        int length =
                new RtcpWriter()
                        .begin(buffer, 0)
                        .delaySinceLastReceiverReport(1, 2, 0x03040506, 0x8000)
                        .length();
        assertThat(HexFormat.of().formatHex(buffer.array(), 0, length))
                .isEqualTo("80cf0005000000010500000300000002" + "03040506" + "00008000");
    }
}
