package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SignalingConfigTest {
    private static final Map<String, String> LEAST =
            Map.of(
                    "transceivers", "127.0.0.1:7100",
                    "relay_addresses", "203.0.113.10:3478",
                    "call_id_key", SignalingFixture.KEY);

    @Test
    void needsOnlyWhatHasNoSensibleDefault() {
        SignalingConfig config = ConfigLoader.of(SignalingConfig.class, LEAST);

        assertThat(config.defaultModel()).isEqualTo("parrot");
        assertThat(config.demoPage()).isTrue();
        assertThat(config.rateLimitPerMinute()).isZero();
        assertThat(config.allowedOrigins()).containsExactly("*");
        assertThat(ConfigLoader.describe(config))
                .contains("call_id_key=****")
                .doesNotContain(SignalingFixture.KEY);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "transceivers||transceivers: is empty",
                "transceivers|127.0.0.1:0|transceivers: \"127.0.0.1:0\" has port 0",
                "relay_addresses||relay_addresses: is empty",
                "relay_addresses|0.0.0.0:3478|relay_addresses: \"0.0.0.0:3478\" cannot be",
                "relay_addresses|relay.example:3478|relay_addresses: \"relay.example:3478\"",
                "call_id_key|00ff|call_id_key: is not 32 hex digits; make one with",
                "default_model|a b|default_model: \"a b\" is no model name",
                "max_body_bytes|10|max_body_bytes: \"10\" is out of range",
                "auth|secret|auth: \"secret\" is unknown; give one of any",
            })
    void saysWhatIsWrongWithAValue(String key, String value, String message) {
        Map<String, String> values = new HashMap<>(LEAST);
        values.put(key, value == null ? "" : value);

        assertThatThrownBy(() -> ConfigLoader.of(SignalingConfig.class, values))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(message)
                .hasMessageNotContaining("\n");
    }
}
