package dev.parley.rtc.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacketKindRfc7983Test {
    @ParameterizedTest
    @CsvSource({
        "0, 3, STUN",
        "4, 19, UNKNOWN",
        "20, 63, DTLS",
        "64, 127, UNKNOWN",
        "128, 191, RTP",
        "192, 255, UNKNOWN"
    })
    @DisplayName("RFC 7983 7: the first byte tells")
    void goesByTheFirstByte(int from, int to, PacketKind kind) {
        for (int first = from; first <= to; first++) {
            assertThat(classify(first, 0, 100)).as("first byte %d", first).isEqualTo(kind);
        }
    }

    @Test
    @DisplayName("RFC 5761 4: RTCP packet types are 192 to 223")
    void tellsRtcpFromRtp() {
        for (int second = 0; second < 256; second++) {
            assertThat(classify(0x80, second, 100))
                    .as("second byte %d", second)
                    .isEqualTo(second >= 192 && second <= 223 ? PacketKind.RTCP : PacketKind.RTP);
        }
    }

    @Test
    void tellsAClientHeaderByBothBytesOfItsMagic() {
        assertThat(classify(0x56, 0xEC, ClientHeader.LENGTH)).isEqualTo(PacketKind.CLIENT_HEADER);
        assertThat(classify(0x56, 0xEC, ClientHeader.LENGTH - 1)).isEqualTo(PacketKind.UNKNOWN);
        assertThat(classify(0x56, 0xED, 100)).isEqualTo(PacketKind.UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 20, STUN", "22, 254, 13, DTLS", "128, 111, 12, RTP", "128, 200, 8, RTCP"})
    void wantsTheFixedHeaderOfTheKind(int first, int second, int shortest, PacketKind kind) {
        for (int length = 0; length < shortest; length++) {
            assertThat(classify(first, second, length)).isEqualTo(PacketKind.UNKNOWN);
        }
        assertThat(classify(first, second, shortest)).isEqualTo(kind);
    }

    @Test
    void readsNothingOfAnEmptyDatagram() {
        assertThat(PacketKind.classify(ByteBuffer.allocate(0), 0, 0)).isEqualTo(PacketKind.UNKNOWN);
    }

    private static PacketKind classify(int first, int second, int length) {
        // Exactly as long as the datagram: a read behind its end would throw.
        ByteBuffer buffer = ByteBuffer.allocate(7 + length);
        if (length > 1) {
            buffer.put(7, (byte) first).put(8, (byte) second);
        }
        return PacketKind.classify(buffer, 7, length);
    }
}
