package dev.parley.fuzz;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import dev.parley.signaling.auth.Authenticator;
import dev.parley.signaling.auth.ClientSecrets;
import dev.parley.signaling.auth.Grant;
import dev.parley.signaling.auth.JsonWebTokens;
import dev.parley.signaling.seal.TokenSealer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

/**
 * What clients show to be let in and to name a call: call ids, client secrets and web tokens. None
 * that was made up is taken, and none does worse than to be refused.
 */
public final class TokensFuzz {
    private static final List<byte[]> KEYS = List.of(new byte[16], new byte[16]);
    private static final Instant NOW = Instant.ofEpochSecond(1_796_000_000);
    private static final TokenSealer CALL_IDS =
            new TokenSealer("rtc_", 2, "fuzzed call ids", KEYS, new SecureRandom());
    private static final List<Authenticator> AUTHENTICATORS =
            List.of(new ClientSecrets(KEYS, new SecureRandom(), () -> NOW), webTokens());
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private TokensFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        String encoded = BASE64.encodeToString(input);
        if (CALL_IDS.open(text).isPresent() || CALL_IDS.open("rtc_" + encoded).isPresent()) {
            throw new AssertionError("a call id that was made up");
        }
        List<String> credentials =
                List.of(
                        text,
                        "ek_" + encoded,
                        encoded + ".e30." + BASE64.encodeToString(new byte[64]),
                        // {"alg":"ES256"}
                        "eyJhbGciOiJFUzI1NiJ9." + encoded + ".AAAA");
        for (String credential : credentials) {
            for (Authenticator authenticator : AUTHENTICATORS) {
                if (authenticator.authenticate(credential).isPresent()) {
                    throw new AssertionError("a credential that was made up: " + credential);
                }
            }
        }
    }

    private static JsonWebTokens webTokens() {
        try {
            JWKSet keys = new JWKSet(new ECKeyGenerator(Curve.P_256).keyID("1").generate());
            return new JsonWebTokens(
                    new ImmutableJWKSet<>(keys), "issuer", "audience", Grant.EVERYTHING, () -> NOW);
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }
}
