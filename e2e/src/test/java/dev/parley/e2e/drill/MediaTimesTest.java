package dev.parley.e2e.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class MediaTimesTest {
    private final MediaTimes times = new MediaTimes();

    private void note(int type, int sequenceNumber) {
        note(type, sequenceNumber, 1);
    }

    private void note(int type, int sequenceNumber, int ssrc) {
        ByteBuffer packet = ByteBuffer.allocate(12).put((byte) 0x80).put((byte) type);
        times.note(packet.putShort((short) sequenceNumber).putInt(0).putInt(ssrc).array());
    }

    @Test
    void countsAPacketThatIsSentAgainOnce() {
        note(111, 65_534);
        note(111, 65_535);
        note(111, 0);
        note(111, 65_534);
        note(111, 65_535);
        note(111, 1);
        assertThat(times.count()).isEqualTo(4);
    }

    @Test
    void countsTheFirstSenderAlone() {
        note(111, 7);
        note(111, 20_000, 2);
        note(111, 8);
        assertThat(times.count()).isEqualTo(2);
    }

    @Test
    void countsRtpAlone() {
        note(111, 7);
        note(200, 8);
        times.note(new byte[] {0, 1, 0, 0});
        assertThat(times.count()).isEqualTo(1);
    }
}
