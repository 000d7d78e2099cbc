package dev.parley.signaling.auth;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.parley.runtime.config.ConfigException;
import dev.parley.signaling.seal.Sha256;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The keys that servers call with, read from a JSON file that holds only their hashes:
 *
 * <pre>{@code
 * {"keys": [{"name": "shop", "sha256": "9f86...", "models": ["parrot", "shop-*"],
 *            "calls_per_minute": 600, "burst": 20, "may_create_client_secrets": true}]}
 * }</pre>
 *
 * Name and hash are needed, the rest allows everything when left out. Keys are 256 random bits
 * ({@link #generate}), so one round of SHA-256 cannot be turned back.
 */
public final class ApiKeys implements Authenticator {
    private static final String PREFIX = "pk_";
    private static final int KEY_BYTES = 32;
    private static final int MAX_CHARS = 256;
    private static final int DEFAULT_BURST = 10;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Pattern HASH = Pattern.compile("[0-9A-Fa-f]{64}");
    private static final ObjectMapper JSON =
            JsonMapper.builder()
                    .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private record Document(@Nullable List<Entry> keys) {}

    private record Entry(
            @Nullable String name,
            @Nullable String sha256,
            @Nullable List<String> models,
            @JsonProperty("calls_per_minute") int callsPerMinute,
            @Nullable Integer burst,
            @JsonProperty("may_create_client_secrets") @Nullable Boolean mayCreateClientSecrets) {}

    /** Kept by its hash. */
    private static final class Key {
        private final byte[] hash;
        private final Caller caller;

        Key(byte[] hash, Caller caller) {
            this.hash = hash;
            this.caller = caller;
        }
    }

    private final List<Key> keys;

    private ApiKeys(List<Key> keys) {
        this.keys = keys;
    }

    /**
     * Reads the file's content.
     *
     * @param option that names the file, for errors
     * @throws ConfigException when it cannot be used; the message says where and why
     */
    public static ApiKeys parse(String option, byte[] json) {
        Document document;
        try {
            document = JSON.readValue(json, Document.class);
        } catch (JsonProcessingException e) {
            throw new ConfigException(
                    option + ": the file is no list of keys: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new IllegalStateException("reading from memory cannot fail", e);
        }
        List<Entry> entries = document == null ? null : document.keys();
        if (entries == null) {
            throw new ConfigException(option + ": the file has no \"keys\"");
        }
        List<Key> keys = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < entries.size(); i++) {
            try {
                keys.add(key(entries.get(i), names));
            } catch (IllegalArgumentException e) {
                throw new ConfigException(
                        option + ": key " + (i + 1) + " of the file " + e.getMessage());
            }
        }
        return new ApiKeys(List.copyOf(keys));
    }

    private static Key key(@Nullable Entry entry, Set<String> names) {
        if (entry == null || entry.name() == null || !NAME.matcher(entry.name()).matches()) {
            throw new IllegalArgumentException("needs a name of 1 to 64 letters, digits, . _ -");
        }
        if (!names.add(entry.name())) {
            throw new IllegalArgumentException("has the name of an earlier one: " + entry.name());
        }
        if (entry.sha256() == null || !HASH.matcher(entry.sha256()).matches()) {
            throw new IllegalArgumentException(
                    "needs sha256, 64 hex digits; ./parley api-key NAME makes one");
        }
        int burst = entry.burst() == null ? DEFAULT_BURST : entry.burst();
        if (entry.callsPerMinute() < 0 || burst < 1) {
            throw new IllegalArgumentException("has limits below 0 calls_per_minute or 1 burst");
        }
        List<String> models = entry.models() == null ? List.of() : entry.models();
        if (models.stream().anyMatch(Objects::isNull)
                || (entry.models() != null && models.isEmpty())) {
            throw new IllegalArgumentException("has no models; leave them out to allow all");
        }
        return new Key(
                HexFormat.of().parseHex(entry.sha256()),
                Caller.of(
                        "key:" + entry.name(),
                        new Grant(models, entry.callsPerMinute(), burst),
                        !Boolean.FALSE.equals(entry.mayCreateClientSecrets())));
    }

    @Override
    public Optional<Caller> authenticate(String credential) {
        if (credential.length() > MAX_CHARS) {
            return Optional.empty();
        }
        byte[] hash = Sha256.of(credential);
        // Every key is looked at, whichever fits: the time taken tells nothing.
        Caller found = null;
        for (Key key : keys) {
            if (MessageDigest.isEqual(key.hash, hash)) {
                found = key.caller;
            }
        }
        return Optional.ofNullable(found);
    }

    /**
     * A new key and what the file keeps of it.
     *
     * @param key shown once, to whoever is to have it
     * @param fileEntry one element of the list in the file
     */
    public record Generated(String key, String fileEntry) {}

    /**
     * Makes a key.
     *
     * @throws ConfigException when the name cannot be one
     */
    public static Generated generate(String name, SecureRandom random) {
        if (!NAME.matcher(name).matches()) {
            throw new ConfigException("a key's name is 1 to 64 letters, digits, . _ -");
        }
        byte[] bytes = new byte[KEY_BYTES];
        random.nextBytes(bytes);
        String key = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        String entry =
                JSON.createObjectNode()
                        .put("name", name)
                        .put("sha256", HexFormat.of().formatHex(Sha256.of(key)))
                        .toString();
        return new Generated(key, entry);
    }
}
