package dev.parley.e2e.drill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MediaTimesTest {
    private final MediaTimes times = new MediaTimes();

    private void note(int type, int sequenceNumber) {
        times.note(
                new byte[] {
                    (byte) 0x80, (byte) type, (byte) (sequenceNumber >> 8), (byte) sequenceNumber
                });
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
    void countsRtpAlone() {
        note(111, 7);
        note(200, 8);
        times.note(new byte[] {0, 1, 0, 0});
        assertThat(times.count()).isEqualTo(1);
    }
}
