package dev.parley.rtc.srtp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HmacSha1Rfc2202Test {
    @Test
    @DisplayName("RFC 2202 3: test cases 1 and 2")
    void matchesTheVectors() {
        byte[] firstKey = new byte[20];
        Arrays.fill(firstKey, (byte) 0x0b);

        assertThat(hmac(firstKey, "Hi There"))
                .isEqualTo("b617318655057264e28bc0b6fb378c8ef146be00");
        assertThat(hmac("Jefe".getBytes(US_ASCII), "what do ya want for nothing?"))
                .isEqualTo("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    }

    @Test
    void startsAfreshForEachMessage() {
        var hmac = new HmacSha1("Jefe".getBytes(US_ASCII));
        byte[] message = "what do ya want for nothing?".getBytes(US_ASCII);
        hmac.of(message, 5);

        assertThat(HexFormat.of().formatHex(hmac.of(message, message.length)))
                .isEqualTo("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    }

    private static String hmac(byte[] key, String message) {
        byte[] bytes = message.getBytes(US_ASCII);
        return HexFormat.of().formatHex(new HmacSha1(key).of(bytes, bytes.length));
    }
}
