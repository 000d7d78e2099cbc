package dev.parley.signaling.auth;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.signaling.seal.Sha256;
import dev.parley.signaling.seal.TokenSealer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Makes and recognises {@code ek_...} secrets, which a server gets for its clients' browsers. All
 * that such a secret means is sealed inside it, so that any instance with the keys recognises it
 * and no instance remembers it; its holder reads neither limits nor session.
 */
public final class ClientSecrets implements Authenticator {
    public static final Duration SHORTEST = Duration.ofSeconds(10);
    public static final Duration LONGEST = Duration.ofHours(2);

    /** Bytes of session JSON: more would make a header that proxies refuse. */
    public static final int MAX_SESSION_BYTES = 4_096;

    static final String PREFIX = "ek_";

    /** How long an expired secret may still end the calls that it started. */
    static final Duration GRACE = Duration.ofHours(24);

    private static final int MAX_CHARS = 10_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final TokenSealer sealer;
    private final InstantSource clock;

    /**
     * Shares its keys with every other instance.
     *
     * @param keys of 16 bytes each, the first one seals
     */
    public ClientSecrets(List<byte[]> keys, SecureRandom random, InstantSource clock) {
        this.sealer = new TokenSealer(PREFIX, 1, "parley client secret v1", keys, random);
        this.clock = clock;
    }

    /**
     * A new secret.
     *
     * @param token what the client shows
     */
    public record Minted(String token, Instant expiresAt) {}

    /**
     * Makes a secret that can do what its maker can, with fewer models if the session names one.
     *
     * @param sessionJson at most {@value #MAX_SESSION_BYTES} bytes, or empty
     * @param models those it is for; empty for all of the caller's
     */
    public Minted mint(Caller caller, Duration lifetime, String sessionJson, List<String> models) {
        Instant expiresAt = clock.instant().truncatedTo(ChronoUnit.SECONDS).plus(lifetime);
        Grant grant = models.isEmpty() ? caller.grant() : caller.grant().only(models);
        ObjectNode body =
                JSON.createObjectNode()
                        .put("exp", expiresAt.getEpochSecond())
                        .put("owner", caller.owner())
                        .put("per_minute", grant.callsPerMinute())
                        .put("burst", grant.burst())
                        .put("session", sessionJson);
        var names = body.putArray("models");
        grant.models().forEach(names::add);
        return new Minted(sealer.seal(body.toString().getBytes(StandardCharsets.UTF_8)), expiresAt);
    }

    @Override
    public Optional<Caller> authenticate(String credential) {
        if (!credential.startsWith(PREFIX) || credential.length() > MAX_CHARS) {
            return Optional.empty();
        }
        return sealer.open(credential).flatMap(plain -> caller(credential, plain));
    }

    private Optional<Caller> caller(String credential, byte[] plain) {
        JsonNode body = read(plain);
        Instant expiresAt = Instant.ofEpochSecond(body.path("exp").longValue());
        Instant now = clock.instant();
        if (!now.isBefore(expiresAt.plus(GRACE))) {
            return Optional.empty();
        }
        List<String> models = new ArrayList<>();
        body.path("models").forEach(model -> models.add(model.textValue()));
        Grant grant =
                new Grant(
                        models, body.path("per_minute").intValue(), body.path("burst").intValue());
        ClientSecret secret =
                new ClientSecret(
                        fingerprint(credential), expiresAt, body.path("session").textValue());
        return Optional.of(
                new Caller(
                        body.path("owner").textValue(),
                        grant,
                        Optional.of(secret),
                        now.isBefore(expiresAt),
                        false));
    }

    private static JsonNode read(byte[] plain) {
        try {
            return JSON.readTree(plain);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("one of our own secrets holds no JSON", e);
        } catch (IOException e) {
            throw new IllegalStateException("reading from memory cannot fail", e);
        }
    }

    // Limits must not be kept under the secret itself, which would then lie around in memory.
    private static String fingerprint(String credential) {
        return PREFIX + HexFormat.of().formatHex(Sha256.of(credential), 0, 8);
    }
}
