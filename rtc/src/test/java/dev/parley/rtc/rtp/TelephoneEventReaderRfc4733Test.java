package dev.parley.rtc.rtp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TelephoneEventReaderRfc4733Test {
    private final TelephoneEventReader event = new TelephoneEventReader();

    @Test
    @DisplayName("RFC 4733 2.3: event, E bit, volume and duration")
    void readsAnEvent() {
        byte[] bytes = {0, 0, 11, (byte) 0x8A, 0x1E, 0x00};
        assertThat(event.wrap(ByteBuffer.wrap(bytes), 2, 4)).isTrue();
        assertThat(event.isKey()).isTrue();
        assertThat(event.key()).isEqualTo('#');
        assertThat(event.isEnd()).isTrue();
        assertThat(event.volume()).isEqualTo(10);
        assertThat(event.duration()).isEqualTo(7_680);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "9, 9", "10, *", "11, #", "12, A", "15, D"})
    void namesKeys(byte code, char key) {
        event.wrap(ByteBuffer.wrap(new byte[] {code, 0, 0, 0}), 0, 4);
        assertThat(event.key()).isEqualTo(key);
    }

    @Test
    void knowsWhatIsNoKey() {
        for (int code = 16; code < 256; code++) {
            event.wrap(ByteBuffer.wrap(new byte[] {(byte) code, 0, 0, 0}), 0, 4);
            assertThat(event.isKey()).isFalse();
            assertThat(event.event()).isEqualTo(code);
        }
    }

    @Test
    void refusesLessThanAnEvent() {
        assertThat(event.wrap(ByteBuffer.allocate(4), 0, 3)).isFalse();
        assertThat(event.wrap(ByteBuffer.allocate(4), 0, 0)).isFalse();
    }
}
