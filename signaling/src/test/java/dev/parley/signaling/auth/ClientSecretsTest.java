package dev.parley.signaling.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClientSecretsTest {
    private static final byte[] KEY = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f");
    private static final byte[] OTHER = HexFormat.of().parseHex("ffeeddccbbaa99887766554433221100");
    private static final Caller SHOP =
            Caller.of("key:shop", new Grant(List.of("parrot", "echo"), 60, 5), true);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private Instant now = Instant.parse("2026-01-02T03:04:05.678Z");

    @Test
    void carriesAllThatItMeans() {
        ClientSecrets.Minted minted = with(KEY).mint(SHOP, MINUTE, "{\"a\":1}", List.of("echo"));

        Caller caller = with(KEY).authenticate(minted.token()).orElseThrow();

        assertThat(minted.expiresAt()).isEqualTo(Instant.parse("2026-01-02T03:05:05Z"));
        assertThat(caller.owner()).isEqualTo("key:shop");
        assertThat(caller.grant()).isEqualTo(new Grant(List.of("echo"), 60, 5));
        assertThat(caller.mayStart()).isTrue();
        assertThat(caller.mayMint()).isFalse();
        ClientSecret secret = caller.secret().orElseThrow();
        assertThat(secret.sessionJson()).isEqualTo("{\"a\":1}");
        assertThat(secret.expiresAt()).isEqualTo(minted.expiresAt());
        assertThat(minted.token()).startsWith("ek_").doesNotContain(secret.id().substring(3));
    }

    @Test
    void allowsWhatItsMakerMayUnlessToldOtherwise() {
        String token = with(KEY).mint(SHOP, MINUTE, "", List.of()).token();

        assertThat(with(KEY).authenticate(token).orElseThrow().grant()).isEqualTo(SHOP.grant());
    }

    @Test
    void startsNothingOnceExpiredButSpeaksForItsCallsForADay() {
        String token = with(KEY).mint(SHOP, MINUTE, "", List.of()).token();
        now = Instant.parse("2026-01-02T03:05:04.999Z");
        assertThat(mayStart(token)).contains(true);
        now = Instant.parse("2026-01-02T03:05:05Z");
        assertThat(mayStart(token)).contains(false);
        now = now.plus(ClientSecrets.GRACE).minusNanos(1);
        assertThat(mayStart(token)).contains(false);
        now = now.plusNanos(1);
        assertThat(mayStart(token)).isEmpty();
    }

    @Test
    void worksOnEveryInstanceWhileKeysAreChanged() {
        String old = with(OTHER).mint(SHOP, MINUTE, "", List.of()).token();
        String fresh = with(KEY, OTHER).mint(SHOP, MINUTE, "", List.of()).token();

        assertThat(with(KEY, OTHER).authenticate(old)).isPresent();
        assertThat(with(OTHER, KEY).authenticate(fresh)).isPresent();
        assertThat(with(KEY).authenticate(old)).isEmpty();
    }

    @Test
    void refusesWhatWasTamperedWith() {
        String token = with(KEY).mint(SHOP, MINUTE, "", List.of()).token();
        for (int i = 0; i < token.length(); i++) {
            char other = token.charAt(i) == 'A' ? 'B' : 'A';
            String changed = token.substring(0, i) + other + token.substring(i + 1);
            assertThat(with(KEY).authenticate(changed)).as("character %d", i).isEmpty();
        }
        assertThat(with(KEY).authenticate("ek_" + "A".repeat(1_000_000))).isEmpty();
    }

    private Optional<Boolean> mayStart(String token) {
        return with(KEY).authenticate(token).map(Caller::mayStart);
    }

    private ClientSecrets with(byte[]... keys) {
        return new ClientSecrets(List.of(keys), new SecureRandom(), () -> now);
    }
}
