package dev.parley.signaling.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.runtime.config.ConfigException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiKeysTest {
    private final ApiKeys.Generated shop = ApiKeys.generate("shop", new SecureRandom());

    @Test
    void recognisesAKeyByItsHashAlone() {
        ApiKeys keys = parse("{\"keys\":[" + shop.fileEntry() + "]}");

        Caller caller = keys.authenticate(shop.key()).orElseThrow();

        assertThat(caller.owner()).isEqualTo("key:shop");
        assertThat(caller.mayStart()).isTrue();
        assertThat(caller.mayMint()).isTrue();
        assertThat(caller.grant().allows("anything")).isTrue();
        assertThat(shop.fileEntry()).doesNotContain(shop.key()).doesNotContain("pk_");
        assertThat(shop.key()).hasSize("pk_".length() + 43);
    }

    @Test
    void refusesEveryOtherText() {
        ApiKeys keys = parse("{\"keys\":[" + shop.fileEntry() + "]}");
        Random random = new Random(3);

        assertThat(keys.authenticate("")).isEmpty();
        assertThat(keys.authenticate("x".repeat(100_000))).isEmpty();
        assertThat(keys.authenticate(shop.key() + " ")).isEmpty();
        assertThat(keys.authenticate(shop.key().substring(1))).isEmpty();
        for (int i = 0; i < 1_000; i++) {
            byte[] bytes = new byte[random.nextInt(60)];
            random.nextBytes(bytes);
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            assertThat(keys.authenticate(text)).isEmpty();
        }
    }

    @Test
    void givesEachKeyItsOwnLimits() {
        String narrow =
                shop.fileEntry()
                        .replace(
                                "}",
                                ",\"models\":[\"parrot\",\"shop-*\"],\"calls_per_minute\":6,"
                                        + "\"burst\":2,\"may_create_client_secrets\":false}");
        Caller caller = parse("{\"keys\":[" + narrow + "]}").authenticate(shop.key()).orElseThrow();

        assertThat(caller.grant().callsPerMinute()).isEqualTo(6);
        assertThat(caller.grant().burst()).isEqualTo(2);
        assertThat(caller.mayMint()).isFalse();
        assertThat(caller.grant().allows("parrot")).isTrue();
        assertThat(caller.grant().allows("shop-1")).isTrue();
        assertThat(caller.grant().allows("parrot2")).isFalse();
        assertThat(caller.grant().allows("shop")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]|is no list of keys",
                "{}|has no \"keys\"",
                "{\"keys\":null}|has no \"keys\"",
                "{\"keys\":[null]}|key 1 of the file needs a name",
                "{\"keys\":[{\"name\":\"a b\"}]}|key 1 of the file needs a name",
                "{\"keys\":[{\"name\":\"a\"}]}|key 1 of the file needs sha256",
                "{\"keys\":[{\"name\":\"a\",\"sha256\":\"00\"}]}|key 1 of the file needs sha256",
                "{\"keys\":[{\"name\":\"a\",\"secret\":\"00\"}]}|is no list of keys: Unrecognized",
                "{\"keys\":[KEY,KEY]}|key 2 of the file has the name of an earlier one: shop",
                "{\"keys\":[KEY+,\"burst\":0}]}|key 1 of the file has limits below",
                "{\"keys\":[KEY+,\"models\":[]}]}|key 1 of the file has no models",
                "{\"keys\":[KEY+,\"models\":[null]}]}|key 1 of the file has no models",
                "{\"keys\":[]} x|is no list of keys",
            })
    void saysWhatIsWrongWithTheFile(String json, String message) {
        String entry = shop.fileEntry();
        String text =
                json.replace("KEY+", entry.substring(0, entry.length() - 1)).replace("KEY", entry);

        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("api_keys_file: ")
                .hasMessageContaining(message);
    }

    private static ApiKeys parse(String json) {
        return ApiKeys.parse("api_keys_file", json.getBytes(StandardCharsets.UTF_8));
    }
}
