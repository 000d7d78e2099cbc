package dev.parley.signaling.http;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void refusesOtherEncodingsThanUtf8() {
        for (Charset charset : List.of(StandardCharsets.UTF_16BE, StandardCharsets.UTF_32LE)) {
            assertThatThrownBy(() -> Json.readObject("{}".getBytes(charset), "The body", ""))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("The body is not valid JSON at line 1");
        }
        assertThatThrownBy(() -> Json.readObject(new byte[] {'{', (byte) 0xFF}, "The body", "sdp"))
                .isInstanceOf(RefusedException.class)
                .hasMessage("The body is not UTF-8 text.");
    }
}
