package dev.parley.signaling.auth;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.reload.WatchedFiles;
import java.net.MalformedURLException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;

/** Where an identity provider's keys come from: a URL of its own, or a file. */
public final class JwkSets {
    private static final int TIMEOUT_MILLIS = 2_000;
    private static final int MAX_BYTES = 1 << 18;
    private static final Duration FRESH = Duration.ofMinutes(5);
    private static final Duration REFRESH_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration AT_MOST_EVERY = Duration.ofSeconds(30);
    private static final Duration OUTAGE = Duration.ofHours(4);

    private JwkSets() {}

    /**
     * Keys that are fetched when first needed, again every five minutes, and when a token names an
     * unknown one; at most every thirty seconds, so that made-up key ids cannot make us flood the
     * provider. While it is down the last keys serve for four hours.
     *
     * @param option that holds the URL, for errors
     */
    public static JWKSource<SecurityContext> at(String option, String url) {
        try {
            return JWKSourceBuilder.create(
                            URI.create(url).toURL(),
                            new DefaultResourceRetriever(TIMEOUT_MILLIS, TIMEOUT_MILLIS, MAX_BYTES))
                    .cache(FRESH.toMillis(), REFRESH_TIMEOUT.toMillis())
                    .rateLimited(AT_MOST_EVERY.toMillis())
                    .retrying(true)
                    .outageTolerant(OUTAGE.toMillis())
                    .build();
        } catch (MalformedURLException | IllegalArgumentException e) {
            throw new ConfigException(option + ": \"" + url + "\" is no URL: " + e.getMessage());
        }
    }

    /** The keys of a file, always the newest. */
    public static JWKSource<SecurityContext> of(WatchedFiles<JWKSet> file) {
        return (selector, _) -> selector.select(file.current());
    }

    /**
     * Reads a file's content.
     *
     * @param option that names the file, for errors
     */
    public static JWKSet parse(String option, byte[] json) {
        try {
            return JWKSet.parse(new String(json, StandardCharsets.UTF_8));
        } catch (ParseException e) {
            throw new ConfigException(
                    option + ": the file is no JSON Web Key Set: " + e.getMessage());
        }
    }
}
