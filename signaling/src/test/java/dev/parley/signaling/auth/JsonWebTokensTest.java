package dev.parley.signaling.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class JsonWebTokensTest {
    private static final Grant GRANT = new Grant(List.of(), 30, 10);
    private static ECKey key;
    private static RSAKey rsaKey;

    private Instant now = Instant.parse("2026-01-02T03:04:05Z");
    private final JsonWebTokens tokens =
            new JsonWebTokens(
                    (selector, _) ->
                            selector.select(
                                    new JWKSet(List.of(key.toPublicJWK(), rsaKey.toPublicJWK()))),
                    "https://id.example",
                    "parley",
                    GRANT,
                    () -> now);

    @BeforeAll
    static void generate() throws JOSEException {
        key = new ECKeyGenerator(Curve.P_256).keyID("ec").generate();
        rsaKey = new RSAKeyGenerator(2_048).keyID("rsa").generate();
    }

    @Test
    void recognisesTheSubject() throws JOSEException {
        assertThat(tokens.authenticate(signed(_ -> {})))
                .contains(Caller.of("jwt:alice", GRANT, false));
        assertThat(tokens.authenticate(signedByRsa())).isPresent();
    }

    @Test
    void narrowsModelsDownToTheClaim() {
        Optional<Caller> caller =
                tokens.authenticate(signed(c -> c.claim("parley_models", List.of("echo"))));

        assertThat(caller.orElseThrow().grant()).isEqualTo(new Grant(List.of("echo"), 30, 10));
        assertThat(tokens.authenticate(signed(c -> c.claim("parley_models", List.of())))).isEmpty();
        assertThat(tokens.authenticate(signed(c -> c.claim("parley_models", "echo")))).isEmpty();
    }

    @Test
    void refusesClaimsThatDoNotFit() {
        assertThat(tokens.authenticate(signed(c -> c.issuer("https://evil.example")))).isEmpty();
        assertThat(tokens.authenticate(signed(c -> c.issuer(null)))).isEmpty();
        assertThat(tokens.authenticate(signed(c -> c.audience("shop")))).isEmpty();
        assertThat(tokens.authenticate(signed(c -> c.audience(List.<String>of())))).isEmpty();
        assertThat(tokens.authenticate(signed(c -> c.subject(null)))).isEmpty();
        assertThat(tokens.authenticate(signed(c -> c.subject("")))).isEmpty();
        assertThat(tokens.authenticate(signed(c -> c.subject("x".repeat(300))))).isEmpty();
        assertThat(tokens.authenticate(signed(c -> c.expirationTime(null)))).isEmpty();
        assertThat(tokens.authenticate(signed(c -> c.notBeforeTime(in(Duration.ofMinutes(2))))))
                .isEmpty();
    }

    @Test
    void refusesAfterExpiryAndALittleSkew() {
        String token = signed(c -> c.expirationTime(in(Duration.ofMinutes(1))));
        assertThat(tokens.authenticate(token)).isPresent();
        now = now.plusSeconds(89);
        assertThat(tokens.authenticate(token)).isPresent();
        now = now.plusSeconds(2);
        assertThat(tokens.authenticate(token)).isEmpty();
    }

    @Test
    void refusesSignaturesThatAnyoneCouldMake() throws JOSEException {
        JWTClaimsSet claims = claims(_ -> {});
        assertThat(tokens.authenticate(new PlainJWT(claims).serialize())).isEmpty();

        // The public key used as a shared secret.
        SignedJWT mac = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
        mac.sign(new MACSigner(rsaKey.toPublicJWK().toJSONString()));
        assertThat(tokens.authenticate(mac.serialize())).isEmpty();

        ECKey stranger = new ECKeyGenerator(Curve.P_256).keyID("ec").generate();
        assertThat(tokens.authenticate(signed(stranger, JOSEObjectType.JWT, claims))).isEmpty();
        assertThat(tokens.authenticate(signed(key, new JOSEObjectType("secevent+jwt"), claims)))
                .isEmpty();
        assertThat(tokens.authenticate(signed(key, new JOSEObjectType("at+jwt"), claims)))
                .isPresent();
    }

    @Test
    void refusesWhatIsNoToken() {
        String token = signed(_ -> {});
        for (String text :
                new String[] {
                    "", ".", "..", "a.b.c", token + ".", token.substring(5), "x".repeat(100_000)
                }) {
            assertThat(tokens.authenticate(text)).isEmpty();
        }
        assertThat(tokens.keyFailures()).isZero();
    }

    @Test
    void countsThatKeysCannotBeHad() {
        JsonWebTokens keyless =
                new JsonWebTokens(
                        (_, _) -> {
                            throw new KeySourceException("the provider is down");
                        },
                        "https://id.example",
                        "parley",
                        GRANT,
                        () -> now);

        assertThat(keyless.authenticate(signed(_ -> {}))).isEmpty();
        assertThat(keyless.keyFailures()).isEqualTo(1);
    }

    private String signed(Consumer<JWTClaimsSet.Builder> change) {
        try {
            return signed(key, JOSEObjectType.JWT, claims(change));
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String signed(ECKey key, JOSEObjectType type, JWTClaimsSet claims)
            throws JOSEException {
        JWSHeader header =
                new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key.getKeyID()).type(type).build();
        SignedJWT token = new SignedJWT(header, claims);
        token.sign(new ECDSASigner(key));
        return token.serialize();
    }

    private String signedByRsa() throws JOSEException {
        SignedJWT token =
                new SignedJWT(
                        new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa").build(),
                        claims(_ -> {}));
        token.sign(new RSASSASigner(rsaKey));
        return token.serialize();
    }

    private JWTClaimsSet claims(Consumer<JWTClaimsSet.Builder> change) {
        JWTClaimsSet.Builder claims =
                new JWTClaimsSet.Builder()
                        .issuer("https://id.example")
                        .audience(List.of("other", "parley"))
                        .subject("alice")
                        .expirationTime(in(Duration.ofMinutes(5)));
        change.accept(claims);
        return claims.build();
    }

    private Date in(Duration time) {
        return Date.from(now.plus(time));
    }
}
