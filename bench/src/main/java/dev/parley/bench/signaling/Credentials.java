package dev.parley.bench.signaling;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.parley.signaling.auth.ApiKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;

/**
 * A good API key, and tokens that look like those of the identity provider and are not.
 *
 * @param signalingYaml what makes signaling ask for both
 */
record Credentials(String apiKey, String forgedToken, String signalingYaml) {
    private static final String ISSUER = "https://id.example";
    private static final String AUDIENCE = "voice";
    private static final int RSA_BITS = 2_048;
    private static final Duration LIFE = Duration.ofHours(1);

    static Credentials make() throws IOException {
        ApiKeys.Generated key = ApiKeys.generate("shop", new SecureRandom());
        try {
            RSAKey provider = new RSAKeyGenerator(RSA_BITS).keyID("k1").generate();
            RSAKey stranger = new RSAKeyGenerator(RSA_BITS).keyID("k1").generate();
            return new Credentials(
                    key.key(),
                    signed(stranger),
                    String.join(
                            "\n",
                            "auth: bearer",
                            "api_keys_file: "
                                    + file("keys", "{\"keys\": [" + key.fileEntry() + "]}"),
                            "jwt_key_set: "
                                    + file("jwks", new JWKSet(provider.toPublicJWK()).toString()),
                            "jwt_issuer: " + ISSUER,
                            "jwt_audience: " + AUDIENCE,
                            ""));
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String signed(RSAKey key) throws JOSEException {
        SignedJWT token =
                new SignedJWT(
                        new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(),
                        new JWTClaimsSet.Builder()
                                .issuer(ISSUER)
                                .audience(AUDIENCE)
                                .subject("somebody")
                                .claim("exp", Instant.now().plus(LIFE).getEpochSecond())
                                .build());
        token.sign(new RSASSASigner(key));
        return token.serialize();
    }

    private static Path file(String name, String content) throws IOException {
        Path file = Files.createTempFile("parley-bench-" + name, ".json");
        file.toFile().deleteOnExit();
        Files.writeString(file, content);
        return file;
    }
}
