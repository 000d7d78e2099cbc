package dev.parley.rtc.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouteKeysTest {
    private static final String HEX = "000102030405060708090a0B0c0d0e0f";

    @Test
    void readsKeysByTheirIds() {
        RouteKeys keys = RouteKeys.parse(Map.of("3", " " + HEX + " ", "15", HEX));
        assertThat(keys.key(3)).hasSize(16).startsWith(0, 1, 2).endsWith(14, 15);
        assertThat(keys.has(15)).isTrue();
        assertThat(keys.has(0)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    16 | 000102030405060708090a0b0c0d0e0f   | "16" is no key id; give 0 to 15
                    -1 | 000102030405060708090a0b0c0d0e0f   | "-1" is no key id; give 0 to 15
                    a  | 000102030405060708090a0b0c0d0e0f   | "a" is no key id; give 0 to 15
                    1  | 000102030405060708090a0b0c0d0e     | key 1 is not 32 hex digits; give 16 random bytes, quoted
                    1  | 000102030405060708090a0b0c0d0e0g   | key 1 is not 32 hex digits; give 16 random bytes, quoted
                    """)
    void saysWhichEntryIsWrongAndNeverShowsTheKey(String id, String hex, String message) {
        Map<String, String> texts = Map.of(id, hex);
        assertThatThrownBy(() -> RouteKeys.parse(texts))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void refusesAnIdThatIsGivenTwiceAndNoKeyAtAll() {
        assertThatThrownBy(() -> RouteKeys.parse(Map.of("1", HEX, "01", HEX)))
                .hasMessageMatching("key id 0?1 is given twice; give it once");
        assertThatThrownBy(() -> RouteKeys.parse(Map.of()))
                .hasMessage("empty; give at least one key, such as 1: 32 hex digits");
    }
}
