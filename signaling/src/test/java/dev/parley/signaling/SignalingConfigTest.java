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
                    "auth", "any",
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
    @CsvSource({
        "127.0.0.1:0, '', ANY",
        "[::1]:0, '', ANY",
        "localhost:0, '', ANY",
        "0.0.0.0:0, /keys.json, BEARER",
        "127.0.0.1:0, /keys.json, BEARER",
    })
    void decidesWhoMayCallByWhatIsSetUp(
            String address, String keysFile, SignalingConfig.Auth expected) {
        Map<String, String> values = new HashMap<>(LEAST);
        values.put("auth", "auto");
        values.put("http_address", address);
        values.put("api_keys_file", keysFile);

        assertThat(ConfigLoader.of(SignalingConfig.class, values).auth()).isEqualTo(expected);
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
                "auth|secret|auth: \"secret\" is unknown; give one of auto, any, bearer",
                "auth|auto|auth: is not decided, and http_address 0.0.0.0:8080 can be reached",
                "api_keys_file|/keys.json|auth: is any, which lets everyone call, but",
                "jwt_key_set|https://id.example|jwt_issuer: is missing, give it together with",
                "jwt_audience|parley|jwt_key_set: is missing, give it together with jwt_audience",
                "previous_call_id_keys|00ff|previous_call_id_keys: is not 32 hex digits",
                "cluster_id|65536|cluster_id: \"65536\" is out of range",
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
