package dev.parley.signaling;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.reload.Ticker;
import dev.parley.runtime.reload.WatchedFiles;
import dev.parley.signaling.auth.ApiKeys;
import dev.parley.signaling.auth.Authenticator;
import dev.parley.signaling.auth.ClientSecrets;
import dev.parley.signaling.auth.Grant;
import dev.parley.signaling.auth.JsonWebTokens;
import dev.parley.signaling.auth.JwkSets;
import dev.parley.signaling.calls.Access;
import dev.parley.signaling.calls.CallLimiter;
import dev.parley.signaling.net.TrustedProxies;
import dev.parley.signaling.steering.LocationHeaders;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.LongSupplier;

/**
 * The ways of recognising callers that the config sets up, and those that the class path adds.
 * Owned by {@link Signaling}; looks after the files behind them until closed.
 */
final class Credentials implements AutoCloseable {
    private static final Duration FILE_CHECK_PERIOD = Duration.ofSeconds(2);
    private static final int JWT_BURST = 10;

    private final ClientSecrets secrets;
    private final List<Authenticator> ways = new ArrayList<>();
    private final List<WatchedFiles<?>> files = new ArrayList<>();
    private final Map<String, LongSupplier> failures = new LinkedHashMap<>();
    private final Ticker ticker;

    private Credentials(SignalingConfig config) {
        this.secrets =
                new ClientSecrets(config.sealingKeys(), new SecureRandom(), InstantSource.system());
        ways.add(secrets);
        if (config.auth() == SignalingConfig.Auth.BEARER) {
            addLastingWays(config);
        }
        this.ticker =
                Ticker.start(
                        "credential-files",
                        FILE_CHECK_PERIOD,
                        () -> files.forEach(WatchedFiles::check));
    }

    /**
     * Sets all up.
     *
     * @throws ConfigException when a file cannot be used, or nobody could ever be recognised
     */
    static Credentials of(SignalingConfig config, Telemetry telemetry) {
        Credentials credentials = new Credentials(config);
        if (!credentials.failures.isEmpty()) {
            telemetry.counters(Metric.SIGNALING_CREDENTIAL_FAILURES, credentials.failures);
        }
        return credentials;
    }

    private void addLastingWays(SignalingConfig config) {
        if (!config.apiKeysFile().isEmpty()) {
            var keys = watch("api_keys_file", config.apiKeysFile(), ApiKeys::parse);
            ways.add(credential -> keys.current().authenticate(credential));
        }
        if (!config.jwtKeySet().isEmpty()) {
            addTokens(config);
        }
        ServiceLoader.load(Authenticator.class).forEach(ways::add);
        if (ways.size() == 1) {
            throw new ConfigException(
                    "auth: is bearer but nothing recognises callers; give api_keys_file or"
                            + " jwt_key_set");
        }
    }

    private void addTokens(SignalingConfig config) {
        JsonWebTokens tokens =
                new JsonWebTokens(
                        keySet(config.jwtKeySet()),
                        config.jwtIssuer(),
                        config.jwtAudience(),
                        new Grant(List.of(), config.jwtCallsPerMinute(), JWT_BURST),
                        InstantSource.system());
        ways.add(tokens);
        failures.put("jwt_keys", tokens::keyFailures);
    }

    private JWKSource<SecurityContext> keySet(String place) {
        if (place.startsWith("https://") || place.startsWith("http://")) {
            return JwkSets.at("jwt_key_set", place);
        }
        WatchedFiles<JWKSet> file = watch("jwt_key_set", place, JwkSets::parse);
        return JwkSets.of(file);
    }

    private <T> WatchedFiles<T> watch(String option, String path, Parser<T> parser) {
        WatchedFiles<T> file =
                new WatchedFiles<>(
                        option,
                        List.of(Path.of(path)),
                        contents -> parser.parse(option, contents.getFirst()));
        files.add(file);
        failures.put(option, file::failures);
        return file;
    }

    /** Reads a file's content; errors name the option. */
    private interface Parser<T> {
        T parse(String option, byte[] content);
    }

    /** Makes and recognises secrets for clients. */
    ClientSecrets secrets() {
        return secrets;
    }

    /** What endpoints ask. */
    Access access(SignalingConfig config, TrustedProxies proxies, LocationHeaders locationHeaders) {
        return new Access(
                config.auth() == SignalingConfig.Auth.ANY,
                Authenticator.firstOf(ways),
                new CallLimiter(
                        config.rateLimitPerMinute(),
                        config.rateLimitBurst(),
                        config.clientSecretCallsPerMinute(),
                        System::nanoTime),
                proxies,
                locationHeaders);
    }

    @Override
    public void close() {
        ticker.close();
    }
}
