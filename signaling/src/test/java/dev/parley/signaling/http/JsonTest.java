package dev.parley.signaling.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"session\":{\"instructions\":\"\\uD83D\"}}|session.instructions",
                "{\"a\":\"\\uDE00\\uD83D\"}|a",
                "{\"tools\":[{},{\"name\":\"x\\uD83Dx\"}]}|tools[1].name",
                "{\"session\":{\"\\uD83D\":1}}|session"
            })
    void namesThePlaceOfHalfASurrogatePair(String json, String place) {
        assertThatThrownBy(() -> Json.readObject(json.getBytes(UTF_8), "The body", ""))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refusal -> assertThat(refusal.param()).contains(place))
                .hasMessage("The body has half a surrogate pair in " + place + ".");
    }

    @Test
    void readsWholeSurrogatePairs() {
        byte[] json = "{\"a\":\"\\uD83D\\uDE00\"}".getBytes(UTF_8);
        assertThat(Json.readObject(json, "The body", "").path("a").textValue())
                .isEqualTo(new String(Character.toChars(0x1F600)));
    }
}
