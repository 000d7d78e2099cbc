package dev.parley.signaling.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.jwt.proc.JWTClaimsSetVerifier;
import java.lang.System.Logger.Level;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Recognises JSON Web Tokens (RFC 7519) that an identity provider signs. Issuer, audience, subject
 * and expiry are required; only signatures with asymmetric keys count, so nothing that we hold
 * could make one. The claim {@code parley_models}, a list, narrows the models down.
 */
public final class JsonWebTokens implements Authenticator {
    private static final System.Logger LOGGER = System.getLogger(JsonWebTokens.class.getName());
    private static final String MODELS_CLAIM = "parley_models";
    private static final int MAX_CHARS = 8_192;
    private static final int MAX_SUBJECT_CHARS = 256;
    private static final int CLOCK_SKEW_SECONDS = 30;
    private static final Set<JWSAlgorithm> ALGORITHMS =
            Set.of(
                    JWSAlgorithm.RS256,
                    JWSAlgorithm.RS384,
                    JWSAlgorithm.RS512,
                    JWSAlgorithm.PS256,
                    JWSAlgorithm.PS384,
                    JWSAlgorithm.PS512,
                    JWSAlgorithm.ES256,
                    JWSAlgorithm.ES384,
                    JWSAlgorithm.ES512);

    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    private final Grant grant;
    private final LongAdder keyFailures = new LongAdder();

    /**
     * Trusts one identity provider.
     *
     * @param keys the provider's
     * @param grant what its users may do, all models that they name aside
     */
    public JsonWebTokens(
            JWKSource<SecurityContext> keys,
            String issuer,
            String audience,
            Grant grant,
            InstantSource clock) {
        this.grant = grant;
        // RFC 9068 2.1: an access token says at+jwt; others say JWT or nothing.
        processor.setJWSTypeVerifier(
                new DefaultJOSEObjectTypeVerifier<>(
                        JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, keys));
        processor.setJWTClaimsSetVerifier(claims(issuer, audience, clock));
    }

    private static JWTClaimsSetVerifier<SecurityContext> claims(
            String issuer, String audience, InstantSource clock) {
        var verifier =
                new DefaultJWTClaimsVerifier<>(
                        audience,
                        new JWTClaimsSet.Builder().issuer(issuer).build(),
                        Set.of("sub", "exp")) {
                    @Override
                    protected Date currentTime() {
                        return Date.from(clock.instant());
                    }
                };
        verifier.setMaxClockSkew(CLOCK_SKEW_SECONDS);
        return verifier;
    }

    @Override
    public Optional<Caller> authenticate(String credential) {
        if (credential.length() > MAX_CHARS
                || credential.chars().filter(c -> c == '.').count() != 2) {
            return Optional.empty();
        }
        try {
            return caller(processor.process(SignedJWT.parse(credential), null));
        } catch (ParseException | BadJOSEException _) {
            return Optional.empty();
        } catch (JOSEException e) {
            // The provider's keys cannot be had: someone should look.
            keyFailures.increment();
            LOGGER.log(Level.WARNING, "tokens cannot be checked: {0}", e.getMessage());
            return Optional.empty();
        }
    }

    /** Times that the provider's keys could not be read. */
    public long keyFailures() {
        return keyFailures.sum();
    }

    private Optional<Caller> caller(JWTClaimsSet claims) throws ParseException {
        String subject = claims.getSubject();
        if (subject.isEmpty() || subject.length() > MAX_SUBJECT_CHARS) {
            return Optional.empty();
        }
        @Nullable List<String> models = claims.getStringListClaim(MODELS_CLAIM);
        // An empty list would allow everything.
        if (models != null && models.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                Caller.of("jwt:" + subject, models == null ? grant : grant.only(models), false));
    }
}
